import { EngineError } from "./error.ts";
import { preview } from "./json.ts";

/** Maximum length of a person's id, in characters: subjects of identity providers have at most 255. */
export const MAX_PERSON_LENGTH = 256;

/**
 * Returns the id of a person, unchanged. Two ids are one person only if they are equal, character by character. Fails
 * with `invalid_input` for any other value.
 */
export function checkPersonId(person: unknown, name = "person"): string {
  const fits =
    typeof person === "string" &&
    person !== "" &&
    person.length <= MAX_PERSON_LENGTH &&
    person.trim() === person &&
    person.isWellFormed() &&
    !/\p{Cc}/u.test(person);
  if (fits) return person;
  throw new EngineError(
    "invalid_input",
    `${name} must be a text of 1 to ${MAX_PERSON_LENGTH} characters without control characters and without white space around it, got ${preview(person)}`,
  );
}
