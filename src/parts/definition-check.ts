// Checks a definition as if it were stored.
//
//   DCK1. No definition and no key is stored.
//   DCK2. The faults are the same as for storing it, with line and column as numbers if its format has them.
import { EngineError, type Issue } from "../base/error.ts";
import { readDefinitionBody } from "./definition-body.ts";
import type { DefinitionKindSpec, ReadDefinition } from "./definition-kind.ts";
import { storableDefinition } from "./definition-specs.ts";
import type { PartHost } from "./part.ts";
import { HttpError } from "./problem.ts";
import { checkName, refuseGrown, refuseRegistered } from "./stored-definitions.ts";
import type { DefinitionCheck, DefinitionFault } from "./definition-shapes.ts";

/** The name of a YAML body in messages. */
const BODY = "body.yaml";
const UNNAMED = "unnamed";

export async function checkDefinition(
  spec: DefinitionKindSpec,
  host: PartHost,
  { tenant, raw, name }: { tenant: string; raw: Request; name: string | undefined },
): Promise<DefinitionCheck> {
  try {
    if (name !== undefined) {
      refuseRegistered(spec.registered, spec.kind, name);
      checkName(spec.kind, name);
    }
    const read = await readAsStored(spec, host, { tenant, raw, name });
    refuseGrown(read.definition, host);
    const { inputs, ignored, graph } = read;
    return {
      ok: true,
      errors: [],
      inputs,
      ignored: ignored.map(faultOf),
      graph: await graph(),
    };
  } catch (error) {
    return { ok: false, errors: faultsOf(error), inputs: [], ignored: [] };
  }
}

async function readAsStored(
  spec: DefinitionKindSpec,
  host: PartHost,
  { tenant, raw, name }: { tenant: string; raw: Request; name: string | undefined },
): Promise<ReadDefinition> {
  const sent = await readDefinitionBody(raw, host.maxBodyBytes, spec.readers());
  const own = (sent.value as { readonly name?: unknown } | null | undefined)?.name;
  const named = name ?? (typeof own === "string" && own !== "" ? own : UNNAMED);
  const read = sent.placed(() => spec.read(tenant, named, sent.value));
  const { definitions: rules } = host.placeOf(tenant).environment;
  // Checks as if keys could be sealed; only storing the definition seals them.
  const unkept = rules?.seal === undefined ? rules : { ...rules, seal: () => Promise.resolve("") };
  await storableDefinition(read.definition, { rules: unkept, owner: "" });
  return read;
}

/** Rethrows errors that are not faults of the definition. */
function faultsOf(error: unknown): readonly DefinitionFault[] {
  const isFault =
    EngineError.is(error) &&
    !(error instanceof HttpError) &&
    (error.code === "invalid_definition" || error.code === "invalid_input");
  if (!isFault) throw error;
  return (error.issues ?? [{ path: "", message: error.message }]).map(faultOf);
}

/** Takes the place out of the message: `agents.yaml:3:5: expected text`, or `… at line 3, column 5 …`. */
function faultOf({ path, message }: Issue): DefinitionFault {
  const inFile = /^([^\s:]+):(\d+):(\d+): /.exec(message);
  const [prefix = "", file = "", line, column] = inFile ?? [
    "",
    "",
    ...(/ at line (\d+), column (\d+)/.exec(message)?.slice(1) ?? []),
  ];
  return {
    path,
    message: message.slice(prefix.length),
    ...(file === "" || file === BODY ? undefined : { file }),
    ...(line === undefined || column === undefined
      ? undefined
      : { line: Number(line), column: Number(column) }),
  };
}
