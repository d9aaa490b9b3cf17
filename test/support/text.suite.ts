// Terms of documents and questions, the same in each runtime.
import { describe, expect, it } from "vitest";
import { coverage, queryTerms, TEXT_VERSION, termsOf } from "../../src/text/index.ts";

/** A language, a question, and a text with its answer. */
const RETURNS = [
  ["ja", "返品", "製品の価格は二百五十円です。返品は三十日以内に限ります。"],
  ["ja", "返品は何日以内ですか", "返品は三十日以内に限ります。"],
  ["ja", "プリンタ", "ﾌﾟﾘﾝﾀを買います。"],
  ["ja", "りんごはいくらですか", "リンゴ 1個 250円"],
  ["ja", "買う", "お茶を買います。"],
  ["zh", "价格", "产品价格为二百五十元。"],
  ["zh", "产品的价格是多少", "产品价格为二百五十元。"],
  ["zh", "请问王小明的订单在哪里？", "订单：王小明"],
  ["zh", "茶", "我想买绿茶。"],
  ["th", "คืนสินค้า", "สามารถคืนสินค้าได้ภายในสามสิบวัน"],
  ["th", "คืนสินค้าได้กี่วัน", "สามารถคืนสินค้าได้ภายในสามสิบวัน"],
  ["th", "ยา", "ร้านขายยา"],
  ["lo", "ລາຄາ", "ລາຄາສິນຄ້າ"],
  ["km", "តម្លៃ", "តម្លៃផលិតផល"],
  ["my", "ဈေးနှုန်း", "ပစ္စည်းဈေးနှုန်း"],
  ["ko", "가격", "제품의 가격은 250원입니다."],
  ["ko", "제품 가격은 얼마입니까?", "제품의 가격은 250원입니다."],
  ["ko", "책", "책을 샀다."],
  ["hi", "उत्पाद की कीमत कितनी है?", "उत्पाद की क़ीमत 250 रुपये है।"],
  ["ar", "ما هو سعر المنتج؟", "سعرُ مُنتَجٍ ٢٥٠ ريالاً"],
  ["he", "מה המחיר של המוצר?", "מחיר המוצר הוא 250 שקלים."],
  ["ru", "Сколько стоит товар?", "ТОВАР стоит 250 рублей."],
  ["el", "Πόσο κοστίζει η οδός;", "ΟΔΟΣ ΚΟΣΤΙΖΕΙ"],
  ["de", "Wie lange ist die RÜCKGABEFRIST?", "Die Rückgabefrist beträgt dreißig Tage."],
  ["fr", "Quel est le délai de retour ?", "Délai de retour : trente jours."],
  ["es", "¿Cuál es el plazo de devolución?", "Plazo de devolución: treinta días."],
  ["it", "Qual è il prezzo della caffettiera?", "Prezzo caffettiera 30 €"],
  ["pt", "Quanto é o prazo de devolução?", "Prazo devolução: trinta dias"],
  ["nl", "Hoe lang is de retourtermijn?", "Retourtermijn: dertig dagen"],
  ["en", "What's the price of kettles? I don't know.", "Know the kettle price"],
] as const;

/** Terms of the texts in this version of `termsOf`. */
const TERMS = {
  version: 1,
  terms: [
    "製 品 製品 価 格 価格 二 百 五 十 円 二百 百五 五十 十円 です 返 品 返品 三 十 日 以 内 三十 十日 日以 以内 限 りま ます",
    "返 品 返品 三 十 日 以 内 三十 十日 日以 以内 限 りま ます",
    "ぷり りん んた 買 いま ます",
    "りん んご 1 個 250 円",
    "茶 買 いま ます",
    "产 品 价 格 为 二 百 五 十 元 产品 品价 价格 格为 为二 二百 百五 五十 十元",
    "产 品 价 格 为 二 百 五 十 元 产品 品价 价格 格为 为二 二百 百五 五十 十元",
    "订 单 订单 王 小 明 王小 小明",
    "我 想 买 绿 茶 我想 想买 买绿 绿茶",
    "สา าม มา าร รถ ถค คื ืน นส สิ ิน นค ค้ ้า าไ ได ด้ ้ภ ภา าย ยใ ใน นส สา าม มส สิ ิบ บว วั ัน สาม ามา มาร ารถ รถค ถคื คืน ืนส นสิ สิน ินค นค้ ค้า ้าไ าได ได้ ด้ภ ้ภา ภาย ายใ ยใน ในส นสา สาม ามส มสิ สิบ ิบว บวั วัน",
    "สา าม มา าร รถ ถค คื ืน นส สิ ิน นค ค้ ้า าไ ได ด้ ้ภ ภา าย ยใ ใน นส สา าม มส สิ ิบ บว วั ัน สาม ามา มาร ารถ รถค ถคื คืน ืนส นสิ สิน ินค นค้ ค้า ้าไ าได ได้ ด้ภ ้ภา ภาย ายใ ยใน ในส นสา สาม ามส มสิ สิบ ิบว บวั วัน",
    "ร้ ้า าน นข ขา าย ยย ยา ร้า ้าน านข นขา ขาย ายย ยยา",
    "ລາ າຄ ຄາ າສ ສິ ິນ ນຄ ຄ້ ້າ ລາຄ າຄາ ຄາສ າສິ ສິນ ິນຄ ນຄ້ ຄ້າ",
    "តម ម្ ្ល លៃ ៃផ ផល លិ ិត តផ ផល តម្ ម្ល ្លៃ លៃផ ៃផល ផលិ លិត ិតផ តផល",
    "ပစ စ္ ္စ စည ည် ်း းဈ ဈေ ေး းန နှ ှု ုန န် ်း ပစ္ စ္စ ္စည စည် ည်း ်းဈ းဈေ ဈေး ေးန းနှ နှု ှုန ုန် န်း",
    "제품 품의 가격 격은 250 원 원입 입니 니다",
    "제품 품의 가격 격은 250 원 원입 입니 니다",
    "책 책을 샀다",
    "उत्पाद की कीमत 250 रुपये है",
    "سعر منتج 250 ريالا",
    "מחיר מוצר הוא 250 שקלים",
    "товар стоит 250 рублеи",
    "οδοσ κοστιζει",
    "die ruckgabefrist betragt dreissig tag",
    "delai de retour trent jour",
    "plazo de devoluc treinta dia",
    "prezzo caffettiera 30",
    "prazo devolucao trinta dia",
    "retourtermijn dertig dagen",
    "know kettl pric",
  ],
};

/** Share of a question's terms in a text. */
function found(question: string, text: string): number {
  return coverage(queryTerms(question), text);
}

export function describeText(runtime: string): void {
  describe(`text ${runtime}`, () => {
    it.each(RETURNS)("finds a question in %s: %s", (_, question, text) => {
      expect(found(question, text)).toBe(1);
    });

    it("TXT2: are in each text that is its own question", () => {
      for (const [, question, text] of RETURNS)
        for (const each of [question, text]) expect(found(each, each)).toBe(1);
    });

    it("TXT1, TXF2: of documents do not depend on the runtime's dictionaries", () => {
      const { Segmenter } = Intl;
      const texts = RETURNS.map(([, , text]) => termsOf(text));
      try {
        Reflect.deleteProperty(Intl, "Segmenter");
        expect(RETURNS.map(([, , text]) => termsOf(text))).toEqual(texts);
      } finally {
        Reflect.defineProperty(Intl, "Segmenter", {
          value: Segmenter,
          configurable: true,
          writable: true,
        });
      }
    });

    it("TXT3: keeps the terms of documents within a version", () => {
      const terms = RETURNS.map(([, , text]) => termsOf(text).join(" "));
      expect({ version: TEXT_VERSION, terms }).toEqual(TERMS);
    });

    it("has dictionaries for questions", () => {
      expect(queryTerms("产品价格多少")).toEqual(["产品", "价格"]);
      expect(queryTerms("ราคาสินค้า")).not.toContain("คาส");
    });
  });
}
