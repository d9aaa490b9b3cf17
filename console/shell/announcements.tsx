import { Announcer } from "./announcer.ts";
import { useWatched } from "./watched.ts";

const announcer = new Announcer();

/** Announces a text to screen readers, politely: changes of status and questions, never tokens. */
export const announce = announcer.say;

export function LiveRegion() {
  return (
    <div className="unseen" role="status" aria-live="polite">
      {useWatched(announcer.text)}
    </div>
  );
}
