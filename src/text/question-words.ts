// Function words of questions by language. Documents keep them; only the English ones are no terms of documents.
import { ENGLISH } from "./english.ts";
import { foldText } from "./fold.ts";
import { withoutParticle } from "./stems.ts";

/** Languages in Latin letters, recognised by these words. */
const LATIN: Readonly<Record<string, string>> = {
  de:
    "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird werden wurde wurden hat haben hatte kann können " +
    "könnte muss müssen soll sollte darf ich du er sie es wir ihr mich mir dich dir uns euch ihm ihn ihnen mein meine meinen dein deine sein seine " +
    "ihre unser unsere nicht kein keine auch nur noch schon sehr wie was wer wen wem wo wann warum wieso weshalb welche welcher welches welchen " +
    "wieviel viel viele lange auf in an am im ins zum zur zu bei mit nach von vom vor für über unter durch um aus als ob wenn dass bis gibt es bitte",
  fr:
    "le la les un une des du de au aux et ou mais est sont était étaient sera être avoir a ont avait je tu il elle on nous vous ils elles me te se " +
    "mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces que qui quoi quel quelle quels quelles quand comment combien " +
    "pourquoi où dont dans sur sous avec sans pour par en chez entre ne pas plus moins très y si est-ce c d j l m n s t qu peut puis-je faut fait ai",
  es:
    "el la los las un una unos unas y o u pero es son era eran ser será fue está están estar hay ha han he tiene tienen yo tú él ella ellos ellas " +
    "nosotros usted ustedes me te se nos lo le les mi mis tu tus su sus nuestro nuestra este esta estos estas ese esa eso esto que qué quién quiénes " +
    "cuál cuáles cuándo cuánto cuánta cuántos cuántas cómo dónde porque por para de del al en con sin sobre entre desde hasta no más muy ya si puedo puede",
  it:
    "il lo la i gli le un uno una e ed o ma è sono era erano essere sarà ha hanno avere ho io tu lui lei noi voi loro mi ti si ci vi mio mia miei " +
    "tuo tua suo sua nostro nostra questo questa questi queste quello quella che chi cosa qual quale quali quando quanto quanta quanti quante come dove " +
    "perché di del dello della dei degli delle a al allo alla ai agli alle da dal dalla dai in nel nella nei nelle su sul sulla con senza per tra fra non più molto posso può l d c dell all",
  pt:
    "o a os as um uma uns umas e ou mas é são era eram ser será foi está estão estar há tem têm ter eu tu ele ela nós você vocês eles elas me te se " +
    "meu minha meus minhas seu sua seus suas nosso nossa este esta estes estas esse essa isso isto que quem qual quais quando quanto quanta quantos " +
    "quantas como onde porque por para de do da dos das no na nos nas em ao aos à às com sem sobre entre até não mais muito já se posso pode pelo pela",
  nl:
    "de het een en of maar is zijn was waren wordt worden werd heeft hebben had kan kunnen moet moeten mag ik jij je hij zij ze wij we jullie u mij me " +
    "hem haar ons hun mijn jouw uw onze deze dit die dat wat wie waar wanneer waarom hoe welke welk hoeveel veel lang op in aan bij met na van voor " +
    "over onder door om uit als dat tot er niet geen ook nog al heel te naar",
};

/** Function words of languages recognised by their script. */
const OTHERS =
  // Russian and Ukrainian
  "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему когда даже ну " +
  "ли если уже или ни быть был него до вас нибудь вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам " +
  "чтоб без будет чего тоже себе под кто этот того потому какой какая какие каков какова сколько почему зачем куда откуда это эта эти этом можно " +
  "мой моя мои наш наша ваш ваша при про над между который которая которые який яка які скільки коли де чому що та та або але це " +
  // Greek
  "ο η το οι τα του της των τον την τους τις και ή αλλά είναι ήταν έχει έχουν τι ποιος ποια ποιο πότε πού πώς πόσο πόσα γιατί με σε από για στο " +
  "στη στην στον στα στις στους να θα δεν μην μου σου μας σας " +
  // Arabic and Persian
  "في من إلى على عن مع هل ما ماذا من متى أين كيف كم لماذا أي أية هو هي هم هذا هذه ذلك تلك التي الذي الذين كان كانت يكون أن إن لا لم لن قد و أو " +
  "ثم بعد قبل عند بين لي لك له لها لنا لكم كل است هست را که چه چند چقدر کجا چگونه چرا این آن از به با در برای می شود " +
  // Hebrew
  "של את על עם אל מן מה מי איך איפה מתי כמה למה מדוע האם הוא היא הם הן אני אתה זה זאת זו אלה יש אין לא או גם כי אם אבל כל היה הייתה " +
  // Hindi
  "का की के है हैं था थी थे हो होगा होता होती क्या कौन कब कहाँ कैसे क्यों कितना कितनी कितने कौनसा में से को पर तक और या तो भी ही यह वह ये वे इस उस " +
  "इसका उसका मैं हम आप तुम मेरा मेरी मेरे हमारा आपका आपकी अपना ने लिए साथ बाद पहले नहीं न एक कर करना करने सकता सकते सकती " +
  // Korean
  "무엇 무엇인가요 뭐 뭔가요 누구 언제 어디 어디서 어떻게 왜 얼마 얼마나 얼마입니까 얼마인가요 얼마예요 몇 어느 어떤 그 이 저 그것 이것 저것 및 또는 그리고 하지만 수 있나요 있습니까 " +
  "있어요 있는 있다 없는 없다 없나요 되나요 됩니까 인가요 입니까 나는 저는 제 내 우리 대해 대한 위해 때 것 좀 주세요 알려주세요 해야 하나요 " +
  // Chinese and Japanese
  "的 了 吗 嗎 呢 吧 是 在 和 与 與 及 或 有 没有 沒有 不 也 都 就 还 還 要 会 會 能 可以 可 我 你 您 他 她 它 我们 我們 你们 你們 他们 他們 这 這 那 哪 哪个 哪個 哪里 " +
  "哪裡 哪些 什么 什麼 怎么 怎麼 怎样 怎樣 如何 为什么 為什麼 谁 誰 何时 何時 多少 多久 多长 多長 几 幾 请 請 请问 請問 吗 对 對 从 從 到 把 被 于 於 之 个 個 " +
  "何 何時 何処 誰 幾ら いくら いつ どこ だれ どの どう どれ なぜ なに なん です ます か は が を に で と も の へ や から まで より など ください でしょう でした ました ません " +
  "ない ある いる する した して です ですか ますか こと もの これ それ あれ この その あの ここ そこ できる でき れる られる たい だ な よ ね いただけ し い て た さ お ご 教え " +
  // Thai
  "ที่ และ หรือ แต่ เป็น คือ มี ไม่ ได้ ใน ของ จาก กับ ให้ จะ ก็ นี้ นั้น อะไร ใคร เมื่อไหร่ เมื่อไร ที่ไหน ไหน อย่างไร ยังไง ทำไม เท่าไหร่ เท่าไร กี่ ไหม มั้ย หรือไม่ ครับ ค่ะ คะ " +
  "การ ความ ผม ฉัน คุณ เรา เขา ต้อง ว่า โดย เพื่อ แล้ว ถึง บ้าง";

/** Languages of each function word as bits: 1 is any language recognised by its script, the others those in Latin letters. */
let languages: ReadonlyMap<string, number> | undefined;

function languagesByWord(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [place, words] of [OTHERS, ...Object.values(LATIN)].entries())
    for (const word of foldText(words).split(/[ '-]+/))
      found.set(word, (found.get(word) ?? 0) | (1 << place));
  return found;
}

/**
 * Returns the words of a question without the function words of its language. Folded words in, folded words out; all of
 * them, if nothing else is left. One function word is too little to recognise a language, unless a letter has an accent.
 */
export function withoutQuestionWords(
  words: readonly string[],
  { hasAccents }: { readonly hasAccents: boolean },
): readonly string[] {
  languages ??= languagesByWord();
  const counts = new Map<number, number>();
  let most = 0;
  for (const word of words) {
    if (ENGLISH.has(word)) most++;
    for (let bits = (languages.get(word) ?? 0) >> 1, bit = 2; bits > 0; bits >>= 1, bit *= 2)
      if (bits % 2 === 1) counts.set(bit, (counts.get(bit) ?? 0) + 1);
  }
  if (!hasAccents) most = Math.max(1, most);
  let left = 1;
  for (const [bit, count] of counts) if (count > most) [left, most] = [1 | bit, count];
  const telling = words.filter((word) => !ENGLISH.has(word) && !isIn(word, left));
  return telling.length > 0 ? telling : words;
}

/** True for a function word of one of the languages, and for a Korean one with its particle. */
function isIn(word: string, bits: number): boolean {
  const of = (each: string): boolean => ((languages?.get(each) ?? 0) & bits) !== 0;
  if (of(word)) return true;
  const bare = withoutParticle(word);
  return bare !== word && of(bare);
}
