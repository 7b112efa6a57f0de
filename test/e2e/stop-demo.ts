import './start-demo';

export default async function stopDemo(): Promise<void> {
  await globalThis.stopDemo?.();
}
