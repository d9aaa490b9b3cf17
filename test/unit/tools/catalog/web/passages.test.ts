import { expect, it } from "vitest";
import { fittingPassages } from "../../../../../src/tools/catalog/web/passages.ts";

const PAGE = [
  "# 配送\n配送には五営業日かかります。",
  "# 返品\n返品は三十日以内に限ります。",
  "# 价格\n产品价格为二百五十元。",
  "# คืนสินค้า\nสามารถคืนสินค้าได้ภายในสามสิบวัน",
  "# 가격\n제품의 가격은 250원입니다.",
  "# Prices\nA kettle weighs 3kg.",
].join("\n");

it.each([
  ["返品の方法は？", "# 返品"],
  ["产品的价格是多少", "# 价格"],
  ["คืนสินค้าได้กี่วัน", "# คืนสินค้า"],
  ["가격은 얼마입니까", "# 가격"],
  ["250", "# 가격"],
  ["3 kg", "# Prices"],
])("%s is answered by the passage %s", (question, heading) => {
  const passages = fittingPassages(PAGE, question);
  expect(passages.map((passage) => passage.split("\n")[0])).toEqual([heading]);
});
