// Deliveries of messages beside many other steps.
import { expect, it } from "vitest";
import type { MailPort, ReceivedMail } from "../../../src/events/mail.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { InMemoryJournalStore } from "../../../src/journal/in-memory-journal-store.ts";
import { doneRow, drive, perform } from "../../support/journal-harness.ts";

/** Steps begun beside a task after its answer: more than one page of rows. */
const BESIDE = 2500;

const MAIL: MailPort = { hasMail: true, take: () => [{ id: "m1", content: "Add the price." }] };

/** A record of a task with an answer; the program has read its messages at most once. */
function recorded(reviewedAt: number | undefined): InMemoryJournalStore {
  const store = new InMemoryJournalStore();
  const open = { state: "started", endedSeq: null, endedAtMs: null, value: null } as const;
  store.put(doneRow("task", 1, { kind: "task", ...open }));
  store.put(doneRow("task/turn:1/llm", 2, { parent: "task" }));
  for (let nth = 0; nth < BESIDE; nth++) store.put(doneRow(`other:${nth}`, 10 + 2 * nth));
  if (reviewedAt !== undefined)
    store.put(doneRow("task/review", reviewedAt, { parent: "task", value: '"good"' }));
  return store;
}

async function receivedBy(store: InMemoryJournalStore): Promise<readonly ReceivedMail[]> {
  let received: readonly ReceivedMail[] = [];
  const program = async (scope: RunScope) => {
    const others = Array.from({ length: BESIDE }, (_, nth) =>
      perform(scope, `other:${nth}`, () => null),
    );
    await scope.at("task").group("task", async (task) => {
      const first = task.at("turn:1");
      await perform(first, "llm", () => null);
      received = task.at("turn:2").mail({ names: [] }, { after: first });
      return received.length > 0 ? null : perform(task, "review", () => "good");
    });
    await Promise.all(others);
    return null;
  };
  expect(await drive(store, program, { mail: MAIL })).toMatchObject({ state: "completed" });
  return received;
}

it("MD3: a place that code has passed stays without messages, however many steps began beside it", async () => {
  expect(await receivedBy(recorded(10 + 2 * BESIDE))).toEqual([]);
});

it("MD3: steps beside an answer do not pass its place", async () => {
  expect(await receivedBy(recorded(undefined))).toMatchObject([{ id: "m1" }]);
});
