/** The hard facts of a mail, in the order in which they stand there. */
export type MailFacts = {
  readonly customer: string;
  /** The sentence in which the customer says what they want; empty when none does. */
  readonly request: string;
  readonly orderNumbers: readonly string[];
  readonly amounts: readonly string[];
  readonly dates: readonly string[];
  readonly mailAddresses: readonly string[];
  readonly questions: readonly string[];
};

const CLOSINGS =
  /^(?:(?:kind|best|warm) regards|regards|thanks|many thanks|thank you|cheers|yours|sincerely)[,.!]?$/i;

const WISH =
  /\b(?:could you|can you|would you|please|i (?:need|want|would like|ask)|we (?:need|want|would like))\b/i;

export function factsOf(mail: string): MailFacts {
  return {
    customer: signatureOf(mail),
    request: sentencesOf(mail).find((sentence) => WISH.test(sentence)) ?? "",
    orderNumbers: all(
      mail,
      /\b(?:order|invoice|ticket|ref(?:erence)?)\s*(?:number|no\.?|id)?\s*[:#]?\s*#?([A-Z]{0,4}-?\d[\dA-Z-]{2,})/gi,
    ),
    amounts: all(
      mail,
      /((?:[$€£]\s?\d[\d.,]*\d|\d[\d.,]*\s?(?:USD|EUR|GBP|dollars|euros|pounds)))/g,
    ),
    dates: all(
      mail,
      /\b(\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}\/\d{1,2}\/\d{2,4}|(?:\d{1,2}(?:st|nd|rd|th)? )?(?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{1,2})?(?:,? \d{4})?)/g,
    ),
    mailAddresses: all(mail, /([\w.+-]+@[\w-]+\.[\w.-]*\w)/g),
    questions: all(mail, /([^.!?\n]+\?)/g),
  };
}

function all(text: string, pattern: RegExp): string[] {
  return [
    ...new Set(Array.from(text.matchAll(pattern), (match) => (match[1] ?? "").trim())),
  ].filter((found) => found !== "");
}

function sentencesOf(text: string): string[] {
  return (text.replaceAll(/\s+/g, " ").match(/[^.!?]+[.!?]+(?=\s|$)/g) ?? []).map((sentence) =>
    sentence.trim(),
  );
}

/** The line after a closing such as "Best regards". */
function signatureOf(mail: string): string {
  const lines = mail.split("\n").map((line) => line.trim());
  const closing = lines.findLastIndex((line) => CLOSINGS.test(line));
  return closing < 0 ? "" : (lines.slice(closing + 1).find((line) => line !== "") ?? "");
}
