// Stems of words: light rules, the same for documents and questions.

/** Stems of recent words; a text repeats its words. */
const known = new Map<string, string>();
const MAX_KNOWN = 20_000;

/** Returns a folded word without plurals, and without the commonest endings of verbs and nouns. */
export function stemOf(word: string): string {
  if (word.length < 4) return word;
  let stem = known.get(word);
  if (stem === undefined) {
    stem = stemmed(word);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(word, stem);
  }
  return stem;
}

function stemmed(word: string): string {
  const code = word.charCodeAt(0);
  if (code >= 0x600 && code < 0x700) return word.replace(/^(?:[وبكف]?ال|لل)(?=.{2})/, "");
  if (code >= 0x590 && code < 0x600) return word.replace(/^ה(?=.{3})/, "");
  if (code >= 0x250 || /\d/.test(word)) return word;
  return word
    .replace(/(?<=.{2})ies$/, "y")
    .replace(/(?<=[sxz]|[cs]h)es$/, "")
    .replace(/(?<=[^su])s$/, "")
    .replace(/(?<=.{3})(ingly|edly|ing|ed|ly)$/, "")
    .replace(/(?<=.{4})(ments?|ness|ations?|ions?|ers?)$/, "")
    .replace(/([^aeioulsz])\1$/, "$1")
    .replace(/(?<=.{2})[ey]$/, "");
}

/** Particles and endings after a Korean noun, the longest first. */
export const PARTICLES: readonly string[] = (
  "이라면서 이라는 에서는 에서도 으로는 으로도 입니다만 습니까 입니까 합니까 됩니까 습니다 입니다 합니다 됩니다 하나요 되나요 인가요 인지요 할까요 " +
  "에게서 이라고 까지는 부터는 에서 에게 한테 께서 으로 까지 부터 보다 처럼 만큼 이나 이며 이고 이란 이랑 하고 하는 하기 하여 해서 했다 한다 되는 된다 " +
  "라는 라고 조차 마저 밖에 들은 들이 들을 들의 에는 에도 와의 과의 인지 은 는 이 가 을 를 의 에 와 과 도 로 만 야 랑 할 한 된 될 며 고"
).split(" ");
const PARTICLE = new RegExp(`(?<=^.+)(?:${PARTICLES.join("|")})$`, "u");

/** Returns a Korean word without its particle. */
export function withoutParticle(word: string): string {
  return /[가-힣]$/u.test(word) ? word.replace(PARTICLE, "") : word;
}
