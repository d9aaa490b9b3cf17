import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import {
  askWorker,
  detailOf,
  failed,
  textOr,
  until,
  USUAL_TRIES,
  type Answer,
  type Check,
  type SmokeTest,
} from "./ask-worker.ts";

/** 90 s: a new address may take a minute until it answers. */
const START_TRIES = 30;
/** 130 s: the cron comes every minute. */
const SWEEP_TRIES = 44;
/** Maximum age of a cron call from before this deployment. */
const FRESH_MS = 130_000;

export const checkHealth: Check = async (test) => {
  const fault = await until(test, START_TRIES, async () => {
    const { status } = await askWorker(test, "/healthz");
    return status === 200 ? undefined : `it answers ${status}`;
  });
  if (fault === undefined) return undefined;
  throw failed(
    `GET /healthz: expected 200 within 90 s; ${fault}`,
    /certificate|handshake|SSL|TLS/i.test(fault)
      ? "the certificate of a new domain may take some minutes; edgecrew deploy again"
      : "edgecrew logs --errors",
  );
};

/** Checks that the deployed code is the sent one, on a suitable database. Notes other missing features. */
export const checkCode: Check = async (test) => {
  if (test.key === undefined && !test.isOpen) return "no key";
  let about: Answer = { status: 0, text: "", json: {} };
  const fault = await until(test, USUAL_TRIES, async () => {
    about = await askWorker(test, "/about");
    if ([401, 403, 404].includes(about.status)) return undefined;
    return about.status === 200 ? differenceIn(about.json, test) : `it answers ${about.status}`;
  });
  if (fault !== undefined) throw failed(`GET /about: ${fault}`);
  if (about.status === 404) return "this Worker does not say which code it runs (no /about)";
  if (about.status !== 200) return `the key may not ask: ${detailOf(about)}`;
  const { missing, storage } = about.json;
  const lacks = (Array.isArray(missing) ? missing : []).filter(isJsonObject);
  const pending = lacks.find(({ code }) => code === "migrations_pending");
  if (pending !== undefined)
    throw failed(
      `GET /about: ${textOr(pending["message"], "migrations are pending")}`,
      textOr(pending["fix"], "edgecrew deploy"),
    );
  if (isJsonObject(storage) && !isJsonObject(storage["d1Migrations"]))
    test.onNote("applied migrations are unknown: wrangler's list has another name");
  // The cron has a check of its own.
  for (const { code, message, fix } of lacks)
    if (code !== "no_cron")
      test.onNote(`${textOr(message, "")} (${textOr(code, "")}): ${textOr(fix, "")}`);
  return undefined;
};

function differenceIn({ code, version }: JsonObject, { expected }: SmokeTest): string | undefined {
  const { id, tag } = isJsonObject(code) ? code : {};
  if (id !== undefined && id !== expected.version)
    return `it still runs the version ${textOr(id, "of another kind")}, not ${expected.version}`;
  if (expected.packageVersion !== undefined && version !== expected.packageVersion)
    return `it is made with edgecrew ${textOr(version, "of no version")}, and the project has ${expected.packageVersion}`;
  if (id !== undefined && expected.tag !== undefined && tag !== expected.tag)
    return `its tag is ${textOr(tag, "none")}, not ${expected.tag}`;
  return undefined;
}

export const checkAuth: Check = async (test) => {
  if (test.isOpen) return "EDGECREW_AUTH is open-to-everybody";
  const { status } = await askWorker(test, "/runs?limit=1", { anonymous: true });
  if (status !== 401)
    throw failed(`GET /runs without a key: expected 401, got ${status}`, "look at EDGECREW_AUTH");
  if (test.key === undefined) return undefined;
  const own = await askWorker(test, "/runs?limit=1");
  if (own.status !== 200)
    throw failed(
      `GET /runs with the key: expected 200, got ${own.status}`,
      "edgecrew login with a key of this Worker, or edgecrew secrets rotate admin",
    );
  return undefined;
};

export const checkConsole: Check = async (test) => {
  const { status } = await askWorker(test, "/console/", { anonymous: true });
  if (status === 404 || status === 401) return "this Worker has no console";
  if (status !== 200) throw failed(`GET /console/: expected 200, got ${status}`);
  return undefined;
};

/** A recent cron call counts. An older one must come again, as it may belong to the previous code. */
export const checkCron: Check = async (test) => {
  if (test.key === undefined && !test.isOpen) return "no key";
  const startMs = test.clock.now();
  const first = await askWorker(test, "/about");
  if (first.status !== 200) return "this Worker does not say when it last came (no /about)";
  const before = lastAtIn(first.json);
  if (startMs - Date.parse(before ?? "") < FRESH_MS) return undefined;
  const fault = await until(test, SWEEP_TRIES, async () => {
    const lastAt = lastAtIn((await askWorker(test, "/about")).json);
    if (lastAt !== undefined && lastAt !== before) return undefined;
    return `its cron has not come within 130 s${before === undefined ? "" : `, and the last time at ${before}`}`;
  });
  if (fault !== undefined) throw failed(fault, 'look at triggers.crons: it needs "* * * * *"');
  return undefined;
};

function lastAtIn({ sweeper }: JsonObject): string | undefined {
  const lastAt = isJsonObject(sweeper) ? sweeper["lastAt"] : undefined;
  return typeof lastAt === "string" ? lastAt : undefined;
}
