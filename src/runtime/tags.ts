// Tags: labels for finding runs.
import { invalidInput } from "../base/invalid-input.ts";
import { preview } from "../base/json.ts";

export const TAG_PATTERN = /^[A-Za-z0-9_.:/-]{1,64}$/;
/** Maximum tags of one run. */
export const MAX_TAGS = 8;

/** Checks the tags of a run started by code. Throws `invalid_input`, which names each wrong one. */
export function checkTags(tags: readonly string[]): void {
  const issues = tags.flatMap((tag, at) => {
    const path = `/tags/${at}`;
    if (at >= MAX_TAGS) return [{ path, message: `expected at most ${MAX_TAGS} tags` }];
    return TAG_PATTERN.test(tag)
      ? []
      : [
          {
            path,
            message: `expected 1 to 64 letters, digits and _.:/-, got ${preview(tag)}`,
          },
        ];
  });
  if (issues.length > 0) throw invalidInput("the tags do not fit", issues);
}
