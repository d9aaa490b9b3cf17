import { useMemo } from "react";
import { useNow } from "./time.tsx";

/** Counts down the pause of a lost connection. Each pause is another object. */
export function RetryIn({ pause }: { readonly pause: { readonly retryInMs?: number } }) {
  const untilMs = useMemo(() => Date.now() + (pause.retryInMs ?? 0), [pause]);
  return <>Retrying in {Math.max(0, Math.ceil((untilMs - useNow()) / 1000))} s</>;
}
