// Sentences of a text.

const CLOSING = "\"'”’」』）】»";
/** Ends of sentences: with white space in scripts with spaces, else at the sign. */
const ENDS = new RegExp(
  [
    String.raw`(?<=[.!?]["'”’)]?)\s+(?=["'“(\p{Lu}\p{Lo}\d])`,
    `(?<=[。！？｡][${CLOSING}]*)(?![${CLOSING}。！？])`,
    String.raw`(?<=[।॥؟۔։።])\s*`,
  ].join("|"),
  "u",
);

/** Returns the sentences of a line, without the white space around them. */
export function sentencesIn(line: string): readonly string[] {
  return line
    .split(ENDS)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** Signs of a question, and the last words of questions in languages that write them without a sign. */
const QUESTION =
  /[?？؟⸮;՞]["'”’」』）]*$|(?:か|かな|니까|나요|가요|까요|[吗嗎呢]|多少|多久|什[么麼]|哪[里裡]|ไหม|มั้ย|หรือไม่|เท่าไร|เท่าไหร่|เมื่อไร|เมื่อไหร่|ที่ไหน|อะไร)[.。]?$/u;

/** True for a sentence that asks. */
export function isQuestion(sentence: string): boolean {
  return QUESTION.test(sentence.trimEnd());
}
