// Words that turn a statement around.
import { foldText } from "./fold.ts";
import { tokensOf } from "./pieces.ts";

const WORDS: ReadonlySet<string> = new Set(
  foldText(
    "not never neither nor cannot without " +
      "nicht nie niemals kein keine keinen keinem keiner keines weder ohne " +
      "ne pas jamais aucun aucune sans ni no nunca jamas sin nadie non mai senza ne nao nem sem " +
      "niet geen nooit noch zonder не ни нет без никогда немає δεν μην οχι χωρις " +
      "لا لن لم ليس ليست غير بدون لیس نه נה לא אין אל בלי नहीं मत ना बिना 안 못",
  ).split(" "),
);
const CONTRACTED = /n't$|^n'/;
/** Signs of denial within runs and endings of scripts without spaces, and of Korean. */
const WITHIN = /[不没沒無无未非勿別]|(?:ない|ません|なかった|ぬ$)|않|없|아니|ไม่|มิได้|ห้าม/u;

/** True if a text has a word of denial in one of the languages of questions. */
export function isDenied(text: string): boolean {
  const folded = foldText(text);
  return (
    WITHIN.test(folded) ||
    tokensOf(folded).some(
      (token) => CONTRACTED.test(token) || token.split(/[-_.,']/).some((word) => WORDS.has(word)),
    )
  );
}
