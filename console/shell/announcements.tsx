import { useWatched, Watched } from "./watched.ts";

const announced = new Watched("");

/** Says it to screen readers, politely: changes of status and questions, never tokens. */
export function announce(text: string): void {
  announced.set(text);
}

export function LiveRegion() {
  return (
    <div className="unseen" role="status" aria-live="polite">
      {useWatched(announced)}
    </div>
  );
}
