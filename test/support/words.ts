/** The words of a text, which white space parts. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
