// Questions to passages in languages other than English: which sentence the demo model takes as the answer.
import { expect, it } from "vitest";
import { createDemoModel } from "../../../../src/llm/offline/demo-model.ts";
import { isNoAnswer } from "../../../../src/llm/offline/no-answer.ts";
import { NOTICE } from "../../../../src/llm/offline/reading.ts";
import { factKey, factsOf } from "../../../../src/llm/offline/facts.ts";
import { fillNumber } from "../../../../src/llm/offline/fill-number.ts";
import { sentencesOf } from "../../../../src/llm/offline/words.ts";

const JAPANESE =
  "製品の価格は二百五十円です。返品は三十日以内に限ります。配送には五営業日かかります。";
const CHINESE = "产品价格为二百五十元。退货须在三十天内进行。配送需要五个工作日。";
const THAI = "ราคาสินค้าคือ 250 บาท\nคืนสินค้าได้ภายใน 30 วัน\nจัดส่งภายใน 5 วันทำการ";
const KOREAN = "제품의 가격은 250원입니다. 반품은 30일 이내에 가능합니다. 배송은 5일이 걸립니다.";
const ARABIC = "سعر المنتج ٢٥٠ ريالاً. يمكن إرجاع المنتجات خلال ٣٠ يوماً. يستغرق التوصيل خمسة أيام.";
const HINDI = "उत्पाद का मूल्य 250 रुपये है। सामान 30 दिनों में लौटाया जा सकता है। डिलीवरी पाँच दिन में होती है।";
const HEBREW = "מחיר המוצר הוא 250 שקלים. ניתן להחזיר מוצרים תוך שלושים יום.";
const GERMAN =
  "Der Versand dauert fünf Tage. Die Rückgabefrist beträgt dreißig Tage. Der Preis beträgt 250 €.";

it.each([
  ["返品は何日以内ですか？", JAPANESE, "返品は三十日以内に限ります。"],
  ["価格はいくらですか", JAPANESE, "製品の価格は二百五十円です。"],
  ["产品的价格是多少？", CHINESE, "产品价格为二百五十元。"],
  ["退货期限是多久", CHINESE, "退货须在三十天内进行。"],
  ["คืนสินค้าได้ภายในกี่วัน?", THAI, "คืนสินค้าได้ภายใน 30 วัน"],
  ["반품은 며칠 이내에 가능합니까?", KOREAN, "반품은 30일 이내에 가능합니다."],
  ["كم سعر المنتج؟", ARABIC, "سعر المنتج ٢٥٠ ريالاً."],
  ["उत्पाद का मूल्य क्या है?", HINDI, "उत्पाद का मूल्य 250 रुपये है।"],
  ["מה המחיר של המוצר?", HEBREW, "מחיר המוצר הוא 250 שקלים."],
  ["Wie lange ist die Rückgabefrist?", GERMAN, "Die Rückgabefrist beträgt dreißig Tage."],
  ["社長は誰ですか？", JAPANESE, undefined],
  ["公司在哪里？", CHINESE, undefined],
  ["Wer ist der Direktor?", GERMAN, undefined],
])("%s", async (question, passage, expected) => {
  const model = createDemoModel();
  const name = "search_documents";
  const { text } = await model.generate(
    {
      messages: [
        { role: "system", content: "You are Clerk." },
        { role: "user", content: question },
        { role: "assistant", content: "", toolCalls: [{ id: "1", name, arguments: "{}" }] },
        {
          role: "tool",
          toolCallId: "1",
          toolName: name,
          content: `${passage}\n${"x".repeat(130)}`,
        },
      ],
    },
    { signal: new AbortController().signal },
  );
  const answer = isNoAnswer(text) ? undefined : text.replace(NOTICE, "").trim();
  expect(answer).toBe(expected);
});

it("splits sentences at the signs of each script", () => {
  expect(sentencesOf(JAPANESE)).toHaveLength(3);
  expect(sentencesOf("「本当？」と言った。はい！")).toEqual(["「本当？」", "と言った。", "はい！"]);
  expect(sentencesOf(HINDI)).toHaveLength(3);
  expect(sentencesOf(KOREAN)).toHaveLength(3);
  expect(sentencesOf(ARABIC)).toHaveLength(3);
  expect(sentencesOf("He paid 3.50 e.g. for tea. Then he left.")).toEqual([
    "He paid 3.50 e.g. for tea.",
    "Then he left.",
  ]);
});

it("reads labelled facts and numbers of each script", () => {
  expect(factsOf(["価格：二百五十円", "कीमत: 250"]).get(factKey("कीमत"))?.value).toBe("250");
  expect(factsOf(["価格：二百五十円"]).get(factKey("価格"))?.value).toBe("二百五十円");
  expect(factKey("ＯｒｄｅｒＮｕｍｂｅｒ")).toBe(factKey("order_number"));
  const priceIn = (text: string) =>
    fillNumber(
      { type: "number" },
      {
        name: "price",
        source: {
          purpose: "answer",
          ask: "",
          title: undefined,
          texts: [text],
          facts: new Map(),
          answer: "",
        },
        used: new Set(),
      },
    );
  expect(priceIn("２５０円です")).toBe(250);
  expect(priceIn("가격은 1,500원입니다")).toBe(1500);
  expect(priceIn("السعر ٢٥٠ ريال")).toBe(250);
  expect(priceIn("ราคา 29.90 บาท")).toBe(29.9);
});
