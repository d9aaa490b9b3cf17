// Planted bugs: the test of the test. Each is an adapter at one of the engine's ports (its store, alarm, outbox, scope,
// the calls between runs) by which the engine breaks one of its rules. The simulation must notice each of them.
import type * as fc from "fast-check";
import { EngineError } from "../../src/base/error.ts";
import { addUsage } from "../../src/base/usage.ts";
import type { RunObjects } from "../../src/cloudflare/runs/run-object-api.ts";
import type { FlowGraph } from "../../src/flow/flow-graph.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import { RunHost, type RunHostPorts } from "../../src/runtime/run-host.ts";
import { isTerminal, type RunRecord, type RunStart } from "../../src/runtime/run.ts";
import type { OutboxSink } from "../../src/runtime/deliveries/outbox.ts";
import { otherContext, overriding, withScope, withStore } from "./overriding.ts";
import { EVENT_BUGS } from "./planted-event-bugs.ts";
import { FLOW_BUGS } from "./planted-flow-bugs.ts";
import type { ProgramNode } from "./program.ts";
import { families } from "./programs.ts";

export type PlantedBug = {
  readonly name: string;
  /** The rules that it breaks, as the headers of the engine (`J1`), its docs (`F1`) or the oracle (`I1`) number them. */
  readonly rules: readonly string[];
  /** What goes wrong. */
  readonly breaks: string;
  /** The ports of one host, changed. Called anew for each host. */
  readonly ports?: (ports: RunHostPorts) => RunHostPorts;
  /** A host that serves some calls in another way. */
  readonly host?: (ports: RunHostPorts) => RunHost;
  /** The other runs, as one run or the queue's consumer reaches them. */
  readonly peers?: (peers: RunObjects) => RunObjects;
  /** Where it is looked for: 500 programs of all kinds have too few of those that can show it. @default all programs */
  readonly programs?: fc.Arbitrary<ProgramNode>;
  /** What wakes the methods of flows, in all drives of a run but the first. */
  readonly graph?: (graph: FlowGraph) => FlowGraph;
};

export const PLANTED_BUGS: readonly PlantedBug[] = [
  ...FLOW_BUGS,
  ...EVENT_BUGS,
  {
    name: "started-is-not-recorded-before-the-call",
    rules: ["J1", "I4"],
    breaks: "A call begins before its row is written.",
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: {
          put: (row) => {
            if (row.state !== "started" || journal.get(row.key) !== undefined) journal.put(row);
          },
        },
      })),
  },
  {
    name: "result-is-handed-out-before-it-is-recorded",
    rules: ["J1", "I11"],
    breaks: "The code goes on with a result that is written a moment later.",
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: {
          put: (row) => {
            if (row.endedSeq === null || row.kind === "wait" || row.kind === "value")
              return journal.put(row);
            ports.clock.after(1, () => swallowing(() => journal.put(row)));
          },
        },
      })),
  },
  {
    name: "keys-are-counted",
    rules: ["DC10", "J7"],
    breaks: "Keys hold a number that the host counts, so that another drive asks for other steps.",
    ports: (ports) => {
      let drives = 0;
      return {
        ...ports,
        program: (start) => {
          const program = ports.program(start);
          return overriding(program, {
            run: (scope, inputs) => {
              const place = drives === 0 ? scope : scope.at(`drive:${drives}`);
              drives++;
              return program.run(place, inputs);
            },
          });
        },
      };
    },
  },
  {
    name: "storage-error-is-swallowed",
    rules: ["J11"],
    breaks: "A row that the storage did not take counts as written.",
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: { put: (row) => swallowing(() => journal.put(row)) },
      })),
  },
  {
    name: "crash-budget-is-reset-by-any-row",
    rules: ["RD1", "J9", "I12"],
    breaks: "Neither the run nor a step remembers that it was cut off.",
    ports: (ports) =>
      withStore(ports, (store) => ({
        save: (record) => store.save({ ...record, crashes: 0 }),
        journal: { put: (row) => store.journal.put({ ...row, interrupted: 0 }) },
      })),
  },
  {
    name: "expiry-is-forgotten",
    rules: ["H5", "I7"],
    breaks: "A waiting run does not know when its waits fall due.",
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: {
          waits: () =>
            journal.waits().map((row) => {
              if (row.wait === null) return row;
              const { dueAtMs: _, ...wait } = row.wait;
              return { ...row, wait };
            }),
        },
      })),
  },
  {
    name: "outbox-is-dropped-on-failure",
    rules: ["H7", "I14"],
    breaks: "What the index did not take counts as told.",
    ports: (ports) =>
      withSink(ports, ({ index }) => ({
        index: (row) => index(row).catch(() => undefined),
      })),
  },
  {
    name: "events-are-told-again-by-replay",
    rules: ["E1", "I5"],
    breaks: "A host does not know the events that an earlier one has kept.",
    ports: (ports) => withStore(ports, () => ({ events: { ids: () => [] } })),
  },
  {
    name: "late-result-is-written-after-the-end",
    rules: ["J10", "I6"],
    breaks: "A step that was under way when the run ended still writes its result.",
    ports: (ports) =>
      withStore(ports, (store) => ({
        save: (record) => {
          store.save(record);
          if (!isTerminal(record.status)) return;
          const { journal } = store;
          const writeLate = (): void => {
            const late = journal.list(0, 10_000).find(({ state }) => state === "started");
            const row = late && journal.get(late.key);
            const end = { endedSeq: journal.lastSeq() + 1, endedAtMs: ports.clock.now() };
            if (row !== undefined) journal.put({ ...row, ...end, state: "done", value: "null" });
          };
          ports.clock.after(1, () => swallowing(writeLate));
        },
      })),
  },
  {
    name: "once-runs-twice",
    rules: ["J8", "I2"],
    breaks: "A step that may run only once is asked for as any other.",
    ports: (ports) => withScope(ports, { step: (spec) => ({ ...spec, effect: "idempotent" }) }),
  },
  {
    name: "retry-has-another-idempotency-key",
    rules: ["I3"],
    breaks: "Each attempt of a step has a key of its own.",
    ports: (ports) =>
      withScope(ports, {
        step: (spec) => ({
          ...spec,
          run: (context, scope) => {
            const idempotencyKey = `${context.idempotencyKey}:${context.attempt}`;
            return spec.run(otherContext(context, { idempotencyKey }), scope);
          },
        }),
      }),
  },
  {
    name: "replay-is-in-order-of-start",
    rules: ["J2", "I1"],
    breaks: "Results are handed out in the order in which their steps began.",
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: {
          list: (afterSeq, limit) =>
            journal
              .list(afterSeq, limit)
              .map((row) => ({ ...row, endedSeq: row.endedSeq && row.startedSeq })),
        },
      })),
  },
  {
    name: "second-answer-overwrites-the-first",
    rules: ["H1", "I10", "I11"],
    breaks: "An answer to a wait that is settled replaces the one on record.",
    host: (ports) =>
      new (class extends RunHost {
        override async resume(
          request: Parameters<RunHost["resume"]>[0],
        ): ReturnType<RunHost["resume"]> {
          const { journal } = ports.store;
          const row = request.key === undefined ? undefined : journal.get(request.key);
          if (row?.state === "done" && row.wait !== null)
            journal.put({ ...row, value: JSON.stringify(request.value ?? null) });
          return super.resume(request);
        }
      })(ports),
  },
  {
    name: "no-alarm-before-the-drive",
    rules: ["RD2"],
    breaks: "A drive begins while no alarm is set.",
    ports: (ports) =>
      withStore(ports, (store) => ({
        save: (record) => {
          if (record.driving && store.load()?.driving === false) ignoring(ports.alarm.delete());
          store.save(record);
        },
      })),
  },
  {
    name: "no-alarm-after-a-storage-error",
    rules: ["H4", "I7"],
    breaks: "After the storage has given way no alarm is set.",
    ports: (ports) => {
      let failed = false;
      const noting = (access: () => void): void => {
        try {
          access();
        } catch (error) {
          failed = true;
          throw error;
        }
      };
      const changed = withStore(ports, (store) => ({
        save: (record) => noting(() => store.save(record)),
        transaction: (change) => noting(() => store.transaction(change)),
        journal: { put: (row) => noting(() => store.journal.put(row)) },
      }));
      const set = async (atMs: number): Promise<void> => {
        if (!failed) return ports.alarm.set(atMs);
        failed = false;
        return ports.alarm.delete();
      };
      return { ...changed, alarm: overriding(ports.alarm, { set }) };
    },
  },
  {
    name: "no-alarm-after-a-yield",
    rules: ["H5", "I7"],
    breaks: "A drive that ends with something left to do sets no alarm.",
    ports: (ports) => {
      const set = async (atMs: number): Promise<void> => {
        const record = ports.store.load();
        const yielded = record?.status === "running" && !record.driving && !record.paused;
        if (!yielded) await ports.alarm.set(atMs);
      };
      return { ...ports, alarm: overriding(ports.alarm, { set }) };
    },
  },
  {
    name: "status-is-overwritten-after-the-end",
    rules: ["H6", "I6"],
    breaks: "The end of a drive is written over the end of the run.",
    ports: (ports) =>
      withStore(ports, (store) => ({
        save: (record) => {
          const before = store.load();
          store.save(record);
          if (before?.driving !== true || record.status !== "cancelled") return;
          ports.clock.after(1, () => swallowing(() => store.save({ ...before, driving: false })));
        },
      })),
  },
  {
    name: "double-start-resets",
    rules: ["H1", "F3", "I10"],
    breaks: "A second start with the same id begins the run anew.",
    host: (ports) =>
      new (class extends RunHost {
        override begin(...[start, adopt]: Parameters<RunHost["begin"]>): Promise<void> {
          if (ports.store.load() !== undefined) ports.store.clear();
          return super.begin(start, adopt);
        }
      })(ports),
  },
  {
    name: "events-of-an-undone-transaction-count",
    rules: ["E1", "I5"],
    breaks: "Events that were undone with their transaction are taken for kept ones.",
    ports: (ports) => {
      const undone = new Set<string>();
      let appended: string[] = [];
      return withStore(ports, (store) => ({
        transaction: (change) => {
          appended = [];
          try {
            store.transaction(change);
          } catch (error) {
            for (const id of appended) undone.add(id);
            throw error;
          }
        },
        events: {
          append: (event) => {
            appended.push(event.id);
            store.events.append(event);
          },
          ids: () => [...store.events.ids(), ...undone],
        },
      }));
    },
  },
  {
    name: "transactions-are-not-atomic",
    rules: ["H6", "F2"],
    breaks: "A transaction that fails leaves behind what it had written by then.",
    ports: (ports) => withStore(ports, () => ({ transaction: (change) => change() })),
  },
  {
    name: "finished-groups-are-replayed-step-by-step",
    rules: ["J2", "I11"],
    breaks: "The row of a finished group is not found, so that its code runs again.",
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: {
          list: (afterSeq, limit) =>
            journal
              .list(afterSeq, limit)
              .filter(({ kind, endedSeq }) => endedSeq === null || !HOLDING.has(kind)),
        },
      })),
  },
  {
    name: "held-run-is-not-tried-with-other-code",
    rules: ["R6", "I7"],
    breaks: "Every version of the code has the same name, so that a held run stays held.",
    ports: (ports) => ({ ...ports, codeVersion: "always the same" }),
  },
  {
    name: "code-that-does-not-fit-fails-the-run",
    rules: ["R6", "I1"],
    breaks: "A deploy whose code does not fit a run ends it.",
    ports: (ports) => {
      const { codeVersion: _, ...others } = ports;
      return others;
    },
  },
  {
    name: "cancel-does-not-abort",
    rules: ["DC4"],
    breaks: "Calls under way do not hear that the run was cancelled.",
    ports: (ports) =>
      withScope(ports, {
        step: (spec) => ({
          ...spec,
          run: (context, scope) => {
            const signal = withoutCancel(context.signal);
            return spec.run(otherContext(context, { signal }), scope);
          },
        }),
      }),
  },
  {
    name: "unpause-during-the-drive-is-lost",
    rules: ["H5", "I7"],
    breaks: "A drive that was paused ends as paused, although the run goes on by then.",
    ports: (ports) => {
      let paused = false;
      return withStore(ports, (store) => ({
        save: (record) => {
          const isEnd = store.load()?.driving === true && !record.driving;
          const lost = isEnd && paused && record.status === "running";
          if (isEnd) paused = false;
          else if (record.driving && record.paused) paused = true;
          store.save(lost ? { ...record, status: "waiting", version: record.version + 1 } : record);
        },
      }));
    },
  },
  {
    name: "tool-is-tried-again-beside-its-own-steps",
    rules: ["J1", "I1"],
    breaks: "A tool that fails is tried again while steps of its own are still under way.",
    ports: (ports) =>
      withScope(ports, {
        step: (spec) => ({
          ...spec,
          run: async (context, scope) => {
            try {
              return await spec.run(context, scope);
            } catch (error) {
              if (spec.kind !== "tool" || context.activity.nested === 0) throw error;
              return spec.run(context, scope);
            }
          },
        }),
      }),
  },
  {
    name: "tool-that-is-tried-again-waits-for-its-own-record",
    rules: ["J6", "I7"],
    breaks: "A tool between two attempts waits for results that only it can ask for.",
    ports: (ports) =>
      withScope(ports, {
        step: (spec, { path }) => {
          const row = ports.store.journal.get(path);
          return row?.state === "waiting" && row.error !== null ? "never" : spec;
        },
      }),
  },
  {
    name: "wait-that-is-not-waited-for-is-a-mismatch",
    rules: ["J7", "I1"],
    breaks: "Code that ends while a wait it asked for is open, or answered too late, ends the run.",
    ports: (ports) => {
      const asked = new Set<string>();
      return withScope(
        ports,
        {
          wait: async ({ path }, wait) => {
            asked.add(path);
            const answer = await wait();
            asked.delete(path);
            return answer;
          },
        },
        () => {
          for (const key of asked)
            throw new EngineError("journal_mismatch", `the code did not wait for ${key}`);
        },
      );
    },
  },
  {
    name: "results-are-handed-out-again-in-order-of-asking",
    rules: ["J2", "J4"],
    breaks: "Code that is tried again gets its results in the order in which it asks for them.",
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: {
          get: (key) => {
            const row = journal.get(key);
            return row === undefined || row.endedSeq === null ? row : { ...row, endedSeq: 1 };
          },
        },
      })),
  },
  {
    name: "alarm-is-set-after-the-change",
    rules: ["RD2", "I7"],
    breaks: "A crash right after a change finds no alarm that would see to it.",
    ports: (ports) => {
      const set = async (atMs: number): Promise<void> => {
        await Promise.resolve();
        await ports.alarm.set(atMs);
      };
      return { ...ports, alarm: overriding(ports.alarm, { set }) };
    },
  },
  {
    name: "long-values-are-cut-inside-a-character",
    rules: ["DC9", "I1"],
    breaks: "A long value is kept in pieces, and a piece may end with half a character.",
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: {
          put: (row) =>
            journal.put(row.value === null ? row : { ...row, value: inPieces(row.value) }),
        },
      })),
  },
  {
    name: "index-is-told-before-the-change-is-kept",
    rules: ["H7", "I14"],
    breaks: "The index hears of a change that may still be undone.",
    ports: (ports) =>
      withStore(ports, (store) => ({
        save: (record) => {
          ignoring(ports.outbox.index?.(indexRowOf(record)));
          store.save(record);
        },
      })),
  },
  {
    name: "dispatch-is-not-owed",
    rules: ["F4", "I7"],
    breaks: "A dispatch that failed, or whose messages are on their way, counts as done.",
    ports: (ports) =>
      withSink(ports, ({ dispatch }) => ({
        dispatch: async (children) => {
          await dispatch(children).catch(() => undefined);
          return { left: [] };
        },
      })),
  },
  {
    name: "report-is-lost",
    rules: ["F4", "I13"],
    breaks: "A report that its parent did not take is not repeated.",
    ports: (ports) =>
      withSink(ports, ({ report }) => ({
        report: (...message) => report(...message).catch(() => undefined),
      })),
  },
  {
    name: "report-precedes-the-end",
    rules: ["F4", "I13"],
    breaks: "A child reports as soon as its code has returned, before its end is on record.",
    ports: (ports) => ({
      ...ports,
      program: (start) => {
        const program = ports.program(start);
        return overriding(program, {
          run: async (scope, inputs) => {
            const output = await program.run(scope, inputs);
            const { parent, tenant, id } = start;
            const report = { runId: id, status: "completed", output, usage: scope.usage } as const;
            if (parent !== undefined)
              ignoring(ports.outbox.report?.({ ...parent, tenant }, report));
            return output;
          },
        });
      },
    }),
  },
  {
    name: "child-is-started-with-a-second-id",
    rules: ["F1", "F3", "I13"],
    breaks: "A start that is not acknowledged is repeated under another id.",
    peers: (peers) => ({
      getByName: (name) => {
        const peer = peers.getByName(name);
        return overriding(peer, {
          call: async (operation, input) => {
            if (operation !== "begin") return peer.call(operation, input);
            const first = await peer.call(operation, input).catch(() => undefined);
            if (first?.ok) return first;
            const [start] = input as readonly [RunStart];
            const again = [{ ...start, id: `${start.id}-2` }] as unknown as typeof input;
            return peers.getByName(`${name}-2`).call(operation, again);
          },
        });
      },
    }),
  },
  {
    name: "definition-of-a-child-is-its-siblings",
    rules: ["F1", "I1"],
    breaks: "A child is started with what another one was to be started with.",
    host: (ports) =>
      withChildren(new RunHost(ports), ({ starts }) => ({
        starts: (runIds) => {
          const all = starts(runIds);
          const first = all.find((start) => start !== undefined);
          return all.map((start): RunStart | undefined =>
            start === undefined || first === undefined ? start : { ...start, inputs: first.inputs },
          );
        },
      })),
  },
  {
    name: "cancel-is-not-passed-on",
    rules: ["F6", "I13"],
    breaks: "The children of a run that has ended go on.",
    ports: (ports) => withSink(ports, () => ({ cancel: async () => [] })),
  },
  {
    name: "child-whose-time-is-up-goes-on",
    rules: ["F6", "I13"],
    breaks: "A child is not cancelled when the wait for it falls due.",
    ports: (ports) =>
      withSink(ports, ({ cancel }) => ({
        cancel: async (...message) => {
          const status = ports.store.load()?.status;
          return status !== undefined && isTerminal(status) ? cancel(...message) : [];
        },
      })),
  },
  {
    name: "join-is-answered-too-early",
    rules: ["F8", "I13"],
    breaks: "The first report of a group answers for all of its children.",
    host: (ports) =>
      withChildren(new RunHost(ports), ({ ended }) => ({
        ended: async (report) => {
          const { journal } = ports.store;
          const { join } =
            journal.waits().find(({ wait }) => wait?.runId === report.runId)?.wait ?? {};
          await ended(report);
          for (const { wait } of journal.waits())
            if (join !== undefined && wait?.join === join && wait.runId !== undefined)
              await ended({ ...report, runId: wait.runId });
        },
      })),
  },
  {
    name: "parent-is-woken-by-each-report",
    rules: ["F8", "I8"],
    breaks: "A group that waits for all its children does not know that it is one.",
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: {
          get: (key) => {
            const row = journal.get(key);
            if (row?.wait?.join === undefined || row.state !== "waiting") return row;
            const { join: _, ...wait } = row.wait;
            return { ...row, wait };
          },
        },
      })),
  },
  {
    name: "report-overwrites-a-settled-wait",
    rules: ["F3", "I11"],
    breaks:
      "A report that comes after its wait has expired, or a second one, is written all the same.",
    host: (ports) =>
      withChildren(new RunHost(ports), ({ ended }) => ({
        ended: async (report) => {
          const { journal } = ports.store;
          for (const { key, wait, endedSeq } of journal.list(0, 10_000)) {
            const row = wait?.runId === report.runId && endedSeq !== null && journal.get(key);
            if (row) journal.put({ ...row, value: JSON.stringify(report.output ?? null) });
          }
          await ended(report);
        },
      })),
  },
  {
    name: "given-up-dispatch-fails-no-wait",
    rules: ["F5", "I7"],
    breaks: "A dispatch that is given up leaves its waits open.",
    programs: families,
    host: (ports) =>
      withChildren(new RunHost(ports), () => ({ failUndispatched: async () => undefined })),
  },
  {
    name: "choice-of-a-speaker-is-not-recorded",
    rules: ["CLS1"],
    breaks: "Whoever a function chose to speak is chosen again in the next drive.",
    ports: (ports) =>
      withScope(ports, {
        callOnce: async (scope, code, record) =>
          scope.path.endsWith("/choose/select") ? code() : record(),
      }),
  },
  {
    name: "finished-rounds-change-nothing",
    rules: ["GRD1"],
    breaks: "What a round did to the variables counts only in the drive that had it.",
    ports: (ports) =>
      withScope(ports, {
        group: (result, isReplayed) =>
          isReplayed && isObject(result) && "changes" in result
            ? { ...result, changes: [] }
            : result,
      }),
  },
  {
    name: "what-a-tool-left-behind-goes-on",
    rules: ["J16"],
    breaks: "Code that a tool did not wait for begins steps after its end.",
    ports: (ports) =>
      withScope(ports, {
        step: (spec) => ({
          ...spec,
          run: (context, scope) => {
            Object.defineProperty(context.activity, "isLeftBehind", { value: false });
            return spec.run(context, scope);
          },
        }),
      }),
  },
  {
    name: "usage-of-children-is-counted-twice",
    rules: ["I16"],
    breaks: "A report says twice what its child has consumed.",
    ports: (ports) =>
      withSink(ports, ({ report }) => ({
        report: (parent, ended) =>
          report(parent, { ...ended, usage: addUsage(ended.usage, ended.usage) }),
      })),
  },
];

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

type Children = Pick<RunHost["children"], "starts" | "ended" | "failUndispatched">;

/** A host with other methods of its children, made from the real ones. */
function withChildren(host: RunHost, change: (real: Children) => Partial<Children>): RunHost {
  const { children } = host;
  const real = {
    starts: children.starts.bind(children),
    ended: children.ended.bind(children),
    failUndispatched: children.failUndispatched.bind(children),
  };
  Object.assign(children, change(real));
  return host;
}

const HOLDING: ReadonlySet<StepRecord["kind"]> = new Set(["task", "method", "agent", "group"]);

/** As long as a piece of a long value may be, in UTF-16 units. Odd: a text of pairs is cut within one. */
const PIECE_LENGTH = 65_535;

type WholeSink = Required<Pick<OutboxSink, "index" | "dispatch" | "report" | "cancel">>;

function withSink(
  ports: RunHostPorts,
  change: (sink: WholeSink) => Partial<WholeSink>,
): RunHostPorts {
  const { outbox } = ports;
  const sink: WholeSink = {
    index: async (row) => outbox.index?.(row),
    dispatch: async (children) => present(await outbox.dispatch?.(children)),
    report: async (parent, report) => outbox.report?.(parent, report),
    cancel: async (children, reason) => present(await outbox.cancel?.(children, reason)),
  };
  return { ...ports, outbox: { ...sink, ...change(sink) } };
}

function present<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Error("every simulated run can start children");
  return answer;
}

function swallowing(access: () => void): void {
  try {
    access();
  } catch {
    // As the bug that is planted would have it.
  }
}

function ignoring(work: Promise<unknown> | undefined): void {
  work?.catch(() => undefined);
}

function withoutCancel(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  signal.addEventListener("abort", () => {
    const { reason } = signal as { readonly reason: unknown };
    if (!EngineError.is(reason) || reason.code !== "run_cancelled") controller.abort(reason);
  });
  return controller.signal;
}

function inPieces(text: string): string {
  let kept = "";
  for (let start = 0; start < text.length; start += PIECE_LENGTH)
    kept += text.slice(start, start + PIECE_LENGTH).toWellFormed();
  return kept;
}

function indexRowOf(record: RunRecord): Parameters<NonNullable<OutboxSink["index"]>>[0] {
  const { id, tenant, kind, name, status, createdAtMs, version } = record;
  const row = { id, tenant, kind, name, status, createdAtMs, updatedAtMs: createdAtMs, version };
  return { ...row, leaseUntilMs: null };
}
