/** One picture could not be embedded, through no fault of the others or of the machine; a repeat changes nothing. */
export class PictureFailed extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = 'PictureFailed';
  }
}
