// Example requests of the API's page, ready to paste because they use the deployed code.
//
//   DX1. Examples use names of the deployed code, without replacing or deleting any of it. Inputs fit the named thing.
//   DX2. Earlier requests make everything an example needs. A line above it names prerequisites that no request can
//        make.
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { exampleNameOf, type ExampleSubject, type Operation } from "../../parts/operation.ts";
import type { Subject, Api } from "../../parts/part.ts";

/** A request in an example. */
type ExampleRequest = {
  readonly operation: Operation;
  /** Path with its query. */
  readonly path: string;
  readonly body: JsonValue | undefined;
  /** Set if the answer's id is part of the last request's path. */
  readonly givesId?: true | undefined;
};

type Example = { readonly requests: readonly ExampleRequest[]; readonly needs: readonly string[] };

/** A subject with its prerequisites. */
type NamedSubject = ExampleSubject & {
  readonly storedBy: Operation | undefined;
  readonly needs: readonly string[];
};

type Changes = {
  readonly body?: JsonObject | undefined;
  readonly values?: Values | undefined;
  readonly givesId?: true;
};
type Values = Readonly<Record<string, string>>;

/** Shell variable with the id of an answer. */
const MADE_ID = "$ID";

const KICKOFF = /^\/\w+\/\{name\}\/kickoff$/;

export class Examples {
  readonly #api: Api;
  readonly #subjects = new Map<string, NamedSubject>();

  constructor(api: Api) {
    this.#api = api;
  }

  /** Returns the body of an operation's example, if it has one. */
  body(operation: Operation): JsonValue | undefined {
    const { example } = operation;
    return (typeof example === "function" ? example(this.#subjectOf(operation)) : example) as
      | JsonValue
      | undefined;
  }

  /** Returns the example as commands for a terminal. */
  commands(operation: Operation, origin: string): string {
    const { requests, needs } = this.#example(operation);
    const lines = requests.map((request) => curl(request, origin));
    const own = lines.at(-1) ?? "";
    return [
      ...[...new Set(needs)].map((need) => `# Needs ${need}.`),
      ...(lines.length > 1 ? ["# First:", ...new Set(lines.slice(0, -1)), "# Then:", own] : [own]),
    ].join("\n");
  }

  #example(operation: Operation, changes: Changes = {}): Example {
    const { sample = {}, path } = operation;
    const subject = this.#subjectOf(operation);
    const named = operation.subject !== undefined && path.includes("{name}");
    const stores = operation.method === "put" || operation.method === "delete";
    const before = [
      ...(named &&
      !stores &&
      sample.values?.["name"] === undefined &&
      subject.storedBy !== undefined
        ? [this.#example(subject.storedBy)]
        : []),
      ...(sample.run === undefined ? [] : [this.#run(sample.run.id, sample.run.kind)]),
      ...(sample.after ?? []).map(({ operation: id, ...with_ }) => this.#after(id, with_)),
    ];
    const values = {
      ...(named ? { name: stores ? exampleNameOf(subject.kind) : subject.name } : undefined),
      ...(sample.run === undefined ? undefined : { id: sample.run.id }),
      ...(sample.after?.some(({ givesId }) => givesId) ? { id: MADE_ID } : undefined),
      ...sample.values,
      ...changes.values,
    };
    const own = this.body(operation);
    const body = isJsonObject(own) ? { ...own, ...changes.body } : (changes.body ?? own);
    return {
      requests: [
        ...before.flatMap(({ requests }) => requests),
        { operation, path: filled(path, values, sample.query), body, givesId: changes.givesId },
      ],
      needs: [
        ...before.flatMap(({ needs }) => needs),
        ...(named && !stores && sample.values?.["name"] === undefined ? subject.needs : []),
        // An example with its own values makes its own subject.
        ...(sample.needs === undefined || changes.values !== undefined ? [] : [sample.needs]),
      ],
    };
  }

  #after(id: string, changes: Changes): Example {
    const operation = this.#api.operations.find((each) => each.id === id);
    return operation === undefined
      ? { requests: [], needs: [] }
      : this.#example(operation, changes);
  }

  /** Returns an example of starting a run with this id, of any subject or of one kind. */
  #run(id: string, kind: string | undefined): Example {
    const kickoff = this.#kickoffs().find(({ subject }) => kind === undefined || subject === kind);
    return kickoff === undefined
      ? { requests: [], needs: [`a run${kind === undefined ? "" : ` of a ${kind}`}`] }
      : this.#example(kickoff, { body: { id } });
  }

  /** Kickoffs, with kinds that have code definitions first. */
  #kickoffs(): readonly Operation[] {
    const all = this.#api.operations.filter(
      ({ path, subject }) => subject !== undefined && KICKOFF.test(path),
    );
    return all.toSorted((a, b) => Number(this.#isMissing(a)) - Number(this.#isMissing(b)));
  }

  #isMissing({ subject = "" }: Operation): boolean {
    return (this.#api.subjects.get(subject)?.names() ?? []).length === 0;
  }

  /** Returns the subject of the operation's path; without one, the first startable thing. */
  #subjectOf({ subject = this.#kickoffs()[0]?.subject ?? "run" }: Operation): NamedSubject {
    let found = this.#subjects.get(subject);
    if (found === undefined) this.#subjects.set(subject, (found = this.#findSubject(subject)));
    return found;
  }

  #findSubject(kind: string): NamedSubject {
    const subjects = this.#api.subjects.get(kind);
    const [name] = subjects?.names() ?? [];
    const registered = name === undefined ? undefined : subjects?.get(name);
    if (name !== undefined && registered !== undefined) {
      const inputs = inputsFor(registered);
      return {
        kind,
        name,
        inputs: inputs ?? {},
        forkFrom: registered.forkFrom?.() ?? {},
        storedBy: undefined,
        needs: inputs === undefined ? [`inputs that the ${kind} takes`] : [],
      };
    }
    const storedBy = this.#api.operations.find(
      ({ method, subject }) => method === "put" && subject === kind,
    );
    return {
      kind,
      name: `my-${kind}`,
      inputs: { topic: sampleOf("topic") },
      forkFrom: { fromTask: "draft" },
      storedBy,
      needs: storedBy === undefined ? [`${aOrAn(kind)} ${kind} in the app's code`] : [],
    };
  }
}

/** Values tried in turn when a subject refuses the sample value of an input. */
const OTHER_VALUES: readonly JsonValue[] = [3, true, [], {}, "https://example.com/"];
const MAX_TRIES = 30;

/** Returns inputs accepted by the subject; undefined if the search finds no match. */
function inputsFor({ requiredInputs, messagesInput, start }: Subject): JsonObject | undefined {
  let inputs: JsonObject = Object.fromEntries(requiredInputs.map((name) => [name, sampleOf(name)]));
  const tried = new Map<string, number>(requiredInputs.map((name) => [name, 0]));
  const messages = messagesInput === undefined ? {} : { [messagesInput]: "Hello" };
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    try {
      start({ ...inputs, ...messages });
      return inputs;
    } catch (error) {
      const issues = EngineError.is(error) ? (error.issues ?? []) : [];
      const name = issues[0]?.path.replace(/^\/inputs(?=\/)/, "").split("/")[1];
      if (name === undefined || name === "") return undefined;
      const count = tried.get(name);
      const value = count === undefined ? sampleOf(name) : OTHER_VALUES[count];
      if (value === undefined) return undefined;
      tried.set(name, (count ?? -1) + 1);
      inputs = { ...inputs, [name]: value };
    }
  }
  return undefined;
}

function sampleOf(name: string): string {
  return `a sample ${name}`;
}

function aOrAn(noun: string): string {
  return /^[aeiou]/.test(noun) ? "an" : "a";
}

function filled(path: string, values: Values, query: Values = {}): string {
  const filledPath = path.replace(/\{\+?(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? "example";
    return value === MADE_ID ? value : encodeURIComponent(value);
  });
  const search = new URLSearchParams(query).toString();
  return search === "" ? filledPath : `${filledPath}?${search}`;
}

function curl({ operation, path, body, givesId }: ExampleRequest, origin: string): string {
  const { method, answers, scope, headers = [], sample = {} } = operation;
  const { shape, types } = answers[200] ?? {};
  const streams = shape === undefined && types?.join() === "text/event-stream";
  const url = `${origin}${path}`;
  const verb = method === "get" ? "" : `-X ${method.toUpperCase()} `;
  const lines = [`curl ${streams ? "-N " : ""}${verb}${url.includes("?") ? `"${url}"` : url}`];
  if (scope !== "none") lines.push(`-H "authorization: Bearer $EDGECREW_KEY"`);
  if (headers.includes("Prefer")) lines.push('-H "prefer: wait=30"');
  for (const [name, value] of Object.entries(sample.headers ?? {}))
    lines.push(`-H "${name}: ${value}"`);
  if (body !== undefined)
    lines.push(
      '-H "content-type: application/json"',
      `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    );
  const command = lines.join(" \\\n  ");
  return givesId ? `ID=$(${command} | sed 's/^{"id":"\\([^"]*\\)".*/\\1/')` : command;
}
