// Seeds of events from outside: every case in which one ever broke a rule.
import { NO_FAULTS, QUIET_CLIENT } from "./faults.ts";
import type { EventNode } from "./outside-events.ts";
import type { Seed } from "./seeds.ts";

const PAID: EventNode = {
  type: "event",
  name: "a",
  event: "paid",
  dueMs: null,
  otherwise: false,
  strict: false,
};

export const EVENT_SEEDS: readonly Seed[] = [
  {
    about: "an event that comes to a paused run after a crash, where an earlier one is kept",
    store: "memory",
    program: {
      type: "sequence",
      name: "a",
      body: [
        { type: "hold", name: "a", kind: "group", body: PAID },
        {
          type: "step",
          name: "read",
          kind: "effect",
          ending: "value",
          times: 1,
          ms: 0,
          value: "nothing",
        },
      ],
    },
    faults: {
      ...NO_FAULTS,
      salt: 1,
      boundaries: [{ gap: 13, kind: "full", times: 1, where: "anywhere" }],
      alarmRetried: false,
      client: {
        ...QUIET_CLIENT,
        answerAfterMs: [0],
        pauseAtMs: 0,
        unpauseAfterMs: 0,
        events: [{ atMs: 0, name: "paid", fits: true, id: null }],
      },
      network: { queue: false, calls: ["taken"], messages: ["once"] },
      deploys: [
        { atMs: 1, change: "nothing", place: 0 },
        { atMs: 1, change: "nothing", place: 0 },
        { atMs: 1, change: "nothing", place: 0 },
      ],
    },
  },
  {
    about: "a wait whose time is over after a crash, where an event is kept for it",
    store: "memory",
    program: {
      type: "sequence",
      name: "a",
      body: [
        {
          type: "hold",
          name: "a",
          kind: "group",
          body: {
            type: "tool",
            name: "a",
            fails: 0,
            body: {
              type: "try",
              name: "a",
              body: { type: "sequence", name: "a", body: [{ ...PAID, name: "read", dueMs: 1 }] },
              rescue: {
                type: "step",
                name: "read",
                kind: "effect",
                ending: "value",
                times: 1,
                ms: 0,
                value: "small",
              },
              last: null,
            },
            more: null,
          },
        },
        {
          type: "sequence",
          name: "a",
          body: [
            {
              type: "step",
              name: "read",
              kind: "effect",
              ending: "value",
              times: 1,
              ms: 0,
              value: "small",
            },
          ],
        },
      ],
    },
    faults: {
      ...NO_FAULTS,
      salt: 107_324_928,
      boundaries: [
        { gap: 0, kind: "crashBefore", times: 1, where: "anywhere" },
        { gap: 15, kind: "full", times: 1, where: "anywhere" },
        { gap: 199, kind: "crashBefore", times: 1, where: "anywhere" },
      ],
      alarmRetried: false,
      client: {
        ...QUIET_CLIENT,
        answerAfterMs: [0],
        pauseAtMs: 1001,
        unpauseAfterMs: 3,
        events: [
          { atMs: 2, name: "paid", fits: true, id: 0 },
          { atMs: 0, name: "paid", fits: true, id: null },
        ],
      },
      network: { queue: false, calls: ["taken", "taken"], messages: ["once", "once"] },
      deploys: [
        { atMs: 0, change: "nothing", place: 0 },
        { atMs: 0, change: "nothing", place: 0 },
      ],
      drivesAtOnce: true,
    },
  },
  {
    about:
      "an event that wins a race beside a tool that is tried again and had gone further before",
    store: "memory",
    program: {
      type: "parallel",
      name: "a",
      body: [
        {
          type: "step",
          name: "read",
          kind: "effect",
          ending: "poison",
          times: 1,
          ms: 0,
          value: "small",
        },
        {
          type: "hold",
          name: "a",
          kind: "group",
          body: {
            type: "race",
            name: "a",
            body: [
              {
                type: "sequence",
                name: "a",
                body: [{ ...PAID, name: "read" }],
              },
              {
                type: "tool",
                name: "a",
                fails: 0,
                body: {
                  type: "step",
                  name: "read",
                  kind: "effect",
                  ending: "value",
                  times: 1,
                  ms: 0,
                  value: "nothing",
                },
                more: {
                  type: "try",
                  name: "a",
                  body: { type: "now", name: "read" },
                  rescue: {
                    type: "step",
                    name: "read",
                    kind: "effect",
                    ending: "poison",
                    times: 1,
                    ms: 0,
                    value: "nothing",
                  },
                  last: {
                    type: "step",
                    name: "read",
                    kind: "effect",
                    ending: "slow",
                    times: 1,
                    ms: 0,
                    value: "nothing",
                  },
                },
              },
            ],
          },
        },
      ],
    },
    faults: {
      ...NO_FAULTS,
      salt: 1401854582,
      boundaries: [{ gap: 0, kind: "full", times: 1, where: "anywhere" }],
      alarmRetried: false,
      client: {
        ...QUIET_CLIENT,
        answerAfterMs: [86_400_000],
        pauseAtMs: 0,
        unpauseAfterMs: 1,
        events: [
          { atMs: 2, name: "paid", fits: true, id: 0 },
          { atMs: 0, name: "paid", fits: true, id: null },
        ],
      },
      network: { queue: false, calls: ["taken"], messages: ["once", "once"] },
      drivesAtOnce: true,
    },
  },
];
