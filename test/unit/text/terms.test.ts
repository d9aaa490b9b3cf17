import { describe, expect, it } from "vitest";
import {
  coverage,
  queryTerms,
  queryWords,
  TEXT_VERSION,
  termsOf,
} from "../../../src/text/index.ts";

/** The share of a question's terms in a text. */
const found = (question: string, text: string): number => coverage(queryTerms(question), text);

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

describe("terms", () => {
  it("are without case, accents, endings and stop words", () => {
    expect(termsOf("The Cafés are opening; kettles boiled!")).toEqual(
      termsOf("cafe open kettle boil"),
    );
    expect(termsOf("E1042 and 31.5")).toEqual(["e1042", "e", "1042", "31.5"]);
    expect(termsOf("")).toEqual([]);
    expect(termsOf("The kettle's lid doesn't fit")).toEqual(termsOf("kettle lid fit"));
  });

  it("of a question of stop words alone are these", () => {
    expect(queryTerms("who are you")).toEqual(["who", "are", "you"]);
    expect(queryWords("The kettle, the Kettle?")).toEqual(["kettle"]);
    expect(queryWords('"; DROP')).toEqual(["drop"]);
    expect(queryTerms("是什么")).toEqual(["是", "什么"]);
    expect(queryTerms("?!")).toEqual([]);
  });

  it("cover a text by their share of it, longer ones more", () => {
    const terms = queryTerms("kettle tea");
    expect(coverage(terms, "Kettles and tea")).toBe(1);
    expect(coverage(terms, "no such thing")).toBe(0);
    expect(coverage(terms, "a kettle")).toBeGreaterThan(coverage(terms, "tea"));
    expect(coverage([], "x")).toBe(0);
  });

  it.each(RETURNS)("find a question in %s: %s", (_, question, text) => {
    expect(found(question, text)).toBe(1);
  });

  it("TXT2: are in each text that is its own question", () => {
    for (const [, question, text] of RETURNS)
      for (const each of [question, text]) expect(found(each, each)).toBe(1);
  });

  it("find no words of other texts in scripts without spaces", () => {
    expect(found("保証期間", "返品は三十日以内に限ります。")).toBe(0);
    expect(found("การรับประกัน", "ราคาสินค้าคือสองร้อยห้าสิบบาท")).toBeLessThan(0.3);
    expect(found("보증 기간", "제품의 가격은 250원입니다.")).toBe(0);
  });

  it.each([
    ["250", "250원"],
    ["250", "250円、税込"],
    ["250", "nur 250€"],
    ["250", "weighs 250kg"],
    ["250 kg", "weighs 250kg"],
    ["250kg", "weighs 250 kg"],
    ["250", "２５０円"],
    ["२५०", "٢٥٠ ريال"],
    ["1500", "1,500 items"],
    ["1,500", "1500 items"],
    ["1500", "1.500,00 €"],
    ["1500", "1\u202f500 €"],
    ["1500", "1'500.00 Fr."],
    ["1500000", "1.500.000"],
    ["29.90", "29,90 €"],
    ["1.5", "1.500"],
    ["0.250", "0,25"],
    ["10.0.0.1", "host 10.0.0.1"],
    ["177", "screw M177,177"],
    ["M177", "screw M177,177"],
    ["353.5", "SKU1353,blue,353.5,1059"],
    ["1059", "SKU1353,blue,353.5,1059"],
    ["1500", "EUR1,500"],
    ["1500", "1,500kg"],
    ["1.2.3", "edgecrew v1.2.3"],
    ["20261130", "on 2026-11-30"],
  ])("find the number %s in %s", (question, text) => {
    expect(found(question, text)).toBeGreaterThanOrEqual(0.5);
  });

  it.each([
    ["250", "2500 or 1250"],
    ["1.5", "15 and 150"],
    ["1020", "10-20"],
    ["25", "0.25"],
  ])("do not find the number %s in %s", (question, text) => {
    expect(found(question, text)).toBe(0);
  });

  it.each([
    ["SKU-1400", "SKU1400 blue"],
    ["SKU1400", "SKU-1400 blue"],
    ["sku 1400", "SKU1400 blue"],
    ["SKU1400", "sku 1400 blue"],
    ["sku_1400", "SKU-1400 blue"],
    ["ERR_42-b", "The error is ERR_42-b."],
    ["email", "Send an e-mail"],
    ["e-mail", "Send an email"],
    ["Ｅ１０４２", "error E1042"],
  ])("find the identifier %s in %s", (question, text) => {
    expect(found(question, text)).toBeGreaterThanOrEqual(0.5);
  });

  it("of a mixed identifier stay together", () => {
    expect(found("SKU1400", "SKU1353 red")).toBeLessThan(0.5);
    expect(termsOf("a3f9c2e1")).toEqual(["a3f9c2e1"]);
  });

  it("keep words that are stop words of another language", () => {
    expect(queryTerms("die casting")).toEqual(termsOf("die casting"));
    expect(queryTerms("Was kostet die Matrize, und wie lange dauert es?")).toEqual(
      queryTerms("kostet Matrize dauert"),
    );
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

  it("TXT3: stay the same within a version", () => {
    expect({
      version: TEXT_VERSION,
      terms: RETURNS.map(([, , text]) => termsOf(text).join(" ")),
    }).toMatchInlineSnapshot(`
      {
        "terms": [
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
        "version": 1,
      }
    `);
  });
});
