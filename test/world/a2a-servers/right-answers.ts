// Right answers of the agents that are asked.

const WORDS = "alpha beta gamma delta";

/** The difference between what an agent said and what it should have said; undefined for none. */
export function faultOf(name: string, said: readonly string[] | string): string | undefined {
  if (typeof said === "string") return said;
  const isRight = name.endsWith(" fails")
    ? said.length === 2 && said.every((text) => /fail|error|broke/i.test(text))
    : JSON.stringify(said) === JSON.stringify([WORDS, "again"]);
  return isRight ? undefined : `it said ${JSON.stringify(said)}`;
}
