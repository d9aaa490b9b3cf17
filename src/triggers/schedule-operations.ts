import * as z from "zod";
import { operation, type ExampleSubject, type Operation } from "../parts/operation.ts";
import { time } from "../parts/shapes.ts";
import { TRIGGER_FIELDS } from "./trigger-fields.ts";
import { changeScheduleBody, createScheduleBody, pageQuery, runScheduleBody } from "./schemas.ts";
import type { Schedules } from "./schedules.ts";
import { triggeredRun, triggeredRunShape } from "./triggered-run.ts";
import { shapeOf } from "../parts/shape.ts";
import type { ScheduleView, ScheduleDetails } from "./schedules.ts";

const schedule = () =>
  z.strictObject({
    id: z.string(),
    source: z.enum(["code", "stored"]),
    cron: z.string(),
    timeZone: z.string(),
    target: z.strictObject({ kind: z.string(), name: z.string() }),
    inputs: z.record(z.string(), z.unknown()),
    missed: z.enum(["skip", "latest", "all"]),
    overlap: z.enum(["allow", "skip"]),
    ...TRIGGER_FIELDS,
    paused: z.boolean(),
    next: z.array(time()).describe("The next slots: one in a list, otherwise up to five"),
    createdAt: time(),
    updatedAt: time(),
  });

export const scheduleShape = shapeOf<ScheduleView>()("Schedule", () => schedule());

export const scheduleDetailsShape = shapeOf<ScheduleDetails>()("ScheduleDetails", () =>
  z.strictObject({
    ...schedule().shape,
    runs: z
      .array(
        z.strictObject({
          at: time(),
          slot: time().optional(),
          outcome: z.enum(["started", "skipped", "missed", "failed"]),
          runId: z.string().optional(),
          until: time().optional().describe("Of `missed`: the last slot that was not started"),
          error: z.string().optional(),
        }),
      )
      .describe("The outcomes of the last slots and manual starts, newest first"),
  }),
);

const details = { description: "The schedule as it is now", shape: scheduleDetailsShape } as const;
const example = ({ kind, name, inputs }: ExampleSubject) => ({
  id: "example",
  cron: "0 7 * * 1-5",
  timeZone: "Europe/Berlin",
  target: { kind, name },
  inputs,
});

const shared = { group: "Schedules" } as const;

/** `/schedules`. */
export function scheduleOperations(schedules: Schedules): readonly Operation[] {
  return [
    listSchedules(schedules),
    createSchedule(schedules),
    getSchedule(schedules),
    changeSchedule(schedules),
    deleteSchedule(schedules),
    runSchedule(schedules),
  ];
}

const listSchedules = (schedules: Schedules) =>
  operation({
    ...shared,
    id: "listSchedules",
    method: "get",
    path: "/schedules",
    scope: "read",
    summary: "List schedules",
    description: "Schedules of the code and stored ones, by id.",
    query: pageQuery,
    answers: { 200: { description: "A page of schedules", list: scheduleShape } },
    problems: [400],
    handle: async ({ tenant, query }) => ({
      status: 200,
      json: await schedules.list(tenant, query),
    }),
  });

const createSchedule = (schedules: Schedules) =>
  operation({
    ...shared,
    id: "createSchedule",
    method: "post",
    path: "/schedules",
    scope: "admin",
    summary: "Store a schedule",
    description:
      "Each slot starts one run. The run's id is made of the schedule's id and the slot: `digest-20261120T0600Z`.",
    body: { name: "CreateSchedule", schema: createScheduleBody, required: true },
    answers: {
      201: { description: "Stored", shape: scheduleDetailsShape, headers: ["Location"] },
    },
    problems: [400, 409, 413, 415],
    example,
    handle: async ({ tenant, body }) => {
      const json = await schedules.add(tenant, body);
      return { status: 201, json, headers: { location: `/schedules/${json.id}` } };
    },
  });

const getSchedule = (schedules: Schedules) =>
  operation({
    ...shared,
    id: "getSchedule",
    sample: {
      after: [{ operation: "createSchedule", body: { id: "example-shown" } }],
      values: { id: "example-shown" },
    },
    method: "get",
    path: "/schedules/{id}",
    scope: "read",
    summary: "Show a schedule, its next slots and its last runs",
    answers: { 200: details },
    problems: [404],
    handle: async ({ tenant, params }) => ({
      status: 200,
      json: await schedules.get(tenant, params["id"] ?? ""),
    }),
  });

const changeSchedule = (schedules: Schedules) =>
  operation({
    ...shared,
    id: "changeSchedule",
    sample: {
      after: [{ operation: "createSchedule", body: { id: "example-changed" } }],
      values: { id: "example-changed" },
    },
    method: "patch",
    path: "/schedules/{id}",
    scope: "admin",
    summary: "Change, pause or unpause a schedule",
    description:
      "Absent fields keep their values. Slots during a pause are skipped. Of a schedule of the code, only `paused` can be changed.",
    body: { name: "ChangeSchedule", schema: changeScheduleBody, required: false },
    answers: { 200: details },
    problems: [400, 404, 409, 413, 415],
    example: { paused: true },
    handle: async ({ tenant, params, body }) => ({
      status: 200,
      json: await schedules.change(tenant, params["id"] ?? "", body),
    }),
  });

const deleteSchedule = (schedules: Schedules) =>
  operation({
    ...shared,
    id: "deleteSchedule",
    sample: {
      after: [{ operation: "createSchedule", body: { id: "example-deleted" } }],
      values: { id: "example-deleted" },
    },
    method: "delete",
    path: "/schedules/{id}",
    scope: "admin",
    summary: "Delete a stored schedule",
    description: "Runs that it has started continue.",
    answers: { 204: { description: "Deleted" } },
    problems: [404, 409],
    handle: async ({ tenant, params }) => {
      await schedules.delete(tenant, params["id"] ?? "");
      return { status: 204 };
    },
  });

const runSchedule = (schedules: Schedules) =>
  operation({
    ...shared,
    id: "runSchedule",
    sample: {
      after: [{ operation: "createSchedule", body: { id: "example-started" } }],
      values: { id: "example-started" },
    },
    method: "post",
    path: "/schedules/{id}/run",
    scope: "run",
    summary: "Start a schedule's run now",
    description: "In addition to its slots, also while it is paused.",
    body: { name: "RunSchedule", schema: runScheduleBody, required: false },
    answers: {
      202: {
        description: "Started, or found by its id",
        shape: triggeredRunShape,
        headers: ["Location"],
      },
    },
    problems: [400, 404, 409, 413, 415],
    handle: async ({ tenant, params, body }) => {
      const json = triggeredRun(await schedules.run(tenant, params["id"] ?? "", body.id));
      return { status: 202, json, headers: { location: json.links.self } };
    },
  });
