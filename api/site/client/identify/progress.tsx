interface Props {
  /** The part of the photo that was sent so far, 0 to 1. */
  readonly sent: number;
  readonly cancel: () => void;
}

/** What is going on: sending, which can be measured, then looking, which can not. */
export function Progress({ sent, cancel }: Props) {
  const sending = sent < 1;
  return (
    <div class="progress">
      <p role="status">{sending ? 'Sending the picture' : 'Comparing it with the catalog'}</p>
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
