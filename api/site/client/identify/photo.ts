/** A picture to be identified: one at hand, or one at an address. */
export type Photo =
  | { readonly kind: 'file'; readonly file: Blob; readonly name: string; readonly preview: string }
  | { readonly kind: 'address'; readonly url: string; readonly name: string; readonly preview: string };

/** Preview addresses live until they are let go. */
export const photoOfFile = (file: Blob, name: string): Photo => ({
  kind: 'file',
  file,
  name,
  preview: URL.createObjectURL(file),
});

export const photoAt = (url: string): Photo => ({ kind: 'address', url, name: url, preview: url });

export const letGo = (photo: Photo | null): void => {
  if (photo?.kind === 'file') URL.revokeObjectURL(photo.preview);
};

/** What a drop or a paste holds that can be identified: a file, else an address; null when neither. */
export function photoFrom(data: DataTransfer | null): Photo | null {
  const file = data?.files[0];
  if (file) return photoOfFile(file, file.name || 'Pasted picture');
  const text = (data?.getData('text/uri-list') || data?.getData('text/plain') || '').trim();
  return /^https?:\/\/\S+$/i.test(text) ? photoAt(text) : null;
}

/** The form in which a photo is sent: its bytes as they are, or its address. */
export async function wireForm(photo: Photo): Promise<{ url: string } | { base64: string }> {
  if (photo.kind === 'address') return { url: photo.url };
  const dataUri = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(photo.file);
  });
  return { base64: dataUri.slice(dataUri.indexOf(',') + 1) };
}

export const readableBytes = (bytes: number): string =>
  bytes < 1024 * 1024
    ? `${Math.max(1, Math.round(bytes / 1024))} KB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
