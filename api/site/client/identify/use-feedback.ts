import { useState } from 'preact/hooks';
import type { FeedbackAnswer, Row } from '../service/answers';
import { correct } from '../service/calls';
import { Failure } from '../service/failure';
import { sendCall } from '../service/send-call';
import { useSession } from '../session/session';

/** What the photos showed; null: nothing that the catalog has. */
export type Verdict = Pick<Row, 'id' | 'name'> | null;

export interface Feedback {
  /** What the service keeps; undefined until it does. */
  readonly kept: Verdict | undefined;
  readonly failure: Failure | null;
  readonly busy: boolean;
  /** Tells the service; while that is under way, nothing else is told. */
  readonly tell: (verdict: Verdict) => void;
  readonly again: () => void;
}

/** Feedback on one answer; the last one stands. */
export function useFeedback(predictionId: string): Feedback {
  const { key, note } = useSession();
  const [kept, setKept] = useState<Verdict>();
  const [latest, setLatest] = useState<Verdict>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const tell = async (verdict: Verdict) => {
    if (busy || key === null) return;
    setBusy(true);
    setLatest(verdict);
    setFailure(null);
    try {
      const { signal } = new AbortController();
      const call = correct(predictionId, verdict?.id ?? null);
      note(await sendCall<FeedbackAnswer>(call, { key, signal }));
      setKept(verdict);
    } catch (reason) {
      if (!(reason instanceof Failure)) throw reason;
      note(reason);
      setFailure(reason);
    } finally {
      setBusy(false);
    }
  };
  return {
    kept,
    failure,
    busy,
    tell: (verdict) => void tell(verdict),
    again: () => void tell(latest),
  };
}
