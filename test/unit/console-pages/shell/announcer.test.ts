import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Announcer } from "../../../../console/shell/announcer.ts";

describe("announcements to screen readers", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("shows each of two messages at once, and a repeated one as a change (CO35)", () => {
    const { announcer, shown } = watched();
    announcer.say("Run completed");
    announcer.say("release-notes: Completed");
    vi.runAllTimers();
    announcer.say("release-notes: Completed");
    vi.runAllTimers();
    expect(shown).toEqual([
      "Run completed",
      "",
      "release-notes: Completed",
      "",
      "release-notes: Completed",
      "",
    ]);
  });

  it("announces a repeated waiting message once, and of many the newest", () => {
    const { announcer, shown } = watched();
    announcer.say("first");
    for (let at = 0; at < 30; at++) announcer.say(`run ${at}`);
    announcer.say("run 29");
    vi.runAllTimers();
    expect(shown.filter((text) => text !== "")).toEqual([
      "first",
      ...Array.from({ length: 10 }, (_, at) => `run ${at + 20}`),
    ]);
  });
});

function watched(): { announcer: Announcer; shown: string[] } {
  const announcer = new Announcer();
  const shown: string[] = [];
  announcer.text.subscribe(() => shown.push(announcer.text.get()));
  return { announcer, shown };
}
