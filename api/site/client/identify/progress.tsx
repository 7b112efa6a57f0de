interface Props {
  /** The part of the photos that was sent so far, 0 to 1. */
  readonly sent: number;
  readonly photos: number;
  readonly cancel: () => void;
}

/** What is going on: sending, which can be measured, then looking, which can not. */
export function Progress({ sent, photos, cancel }: Props) {
  const sending = sent < 1;
  const words = sending
    ? `Sending the picture${photos === 1 ? '' : 's'}`
    : `Comparing ${photos === 1 ? 'it' : 'them'} with the catalog`;
  return (
    <div class="progress">
      <p role="status">{words}</p>
      <progress class="hidden" aria-label="Progress" max={1} {...(sending ? { value: sent } : {})} />
      <span class={sending ? 'bar' : 'bar unknown'} aria-hidden="true">
        <span style={{ width: sending ? `${sent * 100}%` : '30%' }} />
      </span>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}
