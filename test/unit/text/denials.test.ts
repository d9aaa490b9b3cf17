import { describe, expect, it } from "vitest";
import { isDenied } from "../../../src/text/index.ts";

describe("a denial", () => {
  it.each([
    "It is not approved",
    "I don't approve",
    "I wouldn’t",
    "Das ist nicht gut",
    "Keine Freigabe",
    "Ce n'est pas bon",
    "No lo apruebo",
    "Non va bene",
    "Não aprovo",
    "Dat is niet goed",
    "Это не годится",
    "Δεν εγκρίνω",
    "我没有批准",
    "承認しない",
    "承認しません",
    "승인하지 않습니다",
    "ไม่อนุมัติ",
    "मंज़ूर नहीं है",
    "لا أوافق",
    "אני לא מאשר",
  ])("is in %s", (text) => {
    expect(isDenied(text)).toBe(true);
  });

  it.each([
    "It is approved",
    "Notiert",
    "Genehmigt",
    "Je suis d'accord",
    "批准",
    "承認します",
    "승인합니다",
    "อนุมัติ",
    "मंज़ूर है",
    "أوافق",
  ])("is not in %s", (text) => {
    expect(isDenied(text)).toBe(false);
  });
});
