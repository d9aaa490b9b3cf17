import type { EngineError } from "../../base/error.ts";
import { parsedObject } from "../../base/json.ts";
import { apiFailure, type FailedCall } from "../api-error.ts";
import { fieldsOf, textOf } from "../wire.ts";

/** Converts a thrown error, except for an abort, to an engine error. */
export function toEngineError(error: unknown, about: FailedCall): EngineError {
  return apiFailure(error, about, (thrown) => {
    const body = fieldsOf(thrown.error);
    // An exception in a stream has its name beside its words.
    const inner = fieldsOf(body["error"]);
    const said = textOf(inner["said"]);
    const fields = said === "" ? body : (parsedObject(said) ?? { message: said });
    const type =
      thrown.headers?.get("x-amzn-errortype") ?? textOf(inner["type"] ?? fields["__type"]);
    const message = textOf(fields["message"] ?? fields["Message"]) || thrown.message;
    return { providerCode: codeOf(type, message), message };
  });
}

/** `ThrottlingException:http://…` and `com.amazon#ThrottlingException` → `ThrottlingException`; a quota of the day is no rate. */
function codeOf(type: string, message: string): string {
  if (/tokens per day/i.test(message)) return "insufficient_quota";
  return type.split(":", 1)[0]?.split("#").at(-1) ?? "";
}
