// Letters of a PDF in the form in which people write them.
//
// Fonts have glyphs for parts of characters, joined letters and forms within a word, and PDFs name these. Compatibility
// characters with a meaning of their own, such as ² and ½, stay.

/** Characters of the CJK radicals that stand for the whole ideograph; the pairs are `radical ideograph`. */
const RADICALS = new Map(
  Array.from(
    "⺁厂⺆冂⺇几⺈刀⺊卜⺌小⺍小⺎尢⺏尢⺐尢⺒巳⺓幺⺔彑⺗心⺙攵⺛旡⺜日⺝月⺞歺⺟母⺠民⺢氺⺤爫⺧牛⺪疋⺫目⺬示⺮竹⺯糹⺱罓⺳网⺵网⺶羊⺷羊⺹耂⺻聿⺼月⺽臼⻁虎⻃覀⻄西⻅见⻆角⻇角⻉贝⻊足⻋车⻍辶⻎辶⻏阝⻑長⻒镸⻓长⻔门⻕阜⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻟飠⻡首⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟".matchAll(
      /(.)(.)/gu,
    ),
    ([, radical = "", ideograph = ""]) => [radical, ideograph] as const,
  ),
);

/** Radicals, compatibility ideographs, joined Latin and Armenian letters, forms of Hebrew and Arabic letters. */
const FORMS = /[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufdff\ufe70-\ufefc]|\ud87e[\udc00-\ude1f]/gu;
/** Characters without a meaning outside of the font or the program: unassigned by it, private, control. */
const UNKNOWN = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffd\ufffe\uffff\ue000-\uf8ff]/g;

/** Returns a text with the usual letters for their glyphs. */
export function usualLetters(text: string): string {
  if (!hasForms(text)) return text;
  return text.replaceAll(FORMS, (form) => RADICALS.get(form) ?? form.normalize("NFKC").trim());
}

/** Removes characters without a known meaning, and reports their number. */
export function withoutUnknown(text: string, report: (count: number) => void): string {
  let count = 0;
  const known = text.replaceAll(UNKNOWN, () => {
    count++;
    return "";
  });
  if (count > 0) report(count);
  return known;
}

/** True for a text with characters at or beyond the radicals, which few Latin texts have. */
function hasForms(text: string): boolean {
  return /[\u2e80-\u2fdf\uf900-\ufefc\ud87e]/.test(text);
}
