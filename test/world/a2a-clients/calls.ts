// Calls of clients, as their runners print them, and the answers that are right.

export type Call = {
  /** Client, agent and way. */
  readonly id: string;
  readonly agent: string;
  readonly state: string;
  readonly text: string;
  readonly isRight: boolean;
};

type Printed = Readonly<Record<"client" | "agent" | "way" | "state", string>> & {
  readonly text: string | null;
};

const WORDS = "alpha beta gamma delta";
const RIGHT: Readonly<Record<string, { readonly state: RegExp; readonly text: RegExp }>> = {
  clerk: { state: /^completed$/, text: new RegExp(`^${WORDS}$`) },
  pair: { state: /^completed$/, text: new RegExp(`^${WORDS}$`) },
  // Numbers of data parts are floating-point numbers in Python.
  json: { state: /^completed$/, text: /^\{"a":\s*1(?:\.0)?\}$/ },
  fails: { state: /^(failed|error)$/, text: /failed/i },
  asks: { state: /^input-required$/, text: /Which colour/ },
};

/** Reads what begins with `CALL`; libraries print beside it, also behind it in its line. */
export function readCalls(output: string): readonly Call[] {
  return Array.from(output.matchAll(/CALL (\{.*\})/g), ([, json = "{}"]) => {
    const { client, agent, way, state, text } = JSON.parse(json) as Printed;
    const said = text ?? "";
    const right = RIGHT[agent];
    const isRight = right !== undefined && right.state.test(state) && right.text.test(said);
    return { id: `${client} ${agent} ${way}`, agent, state, text: said, isRight };
  });
}
