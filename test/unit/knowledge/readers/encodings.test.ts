// Texts from before Unicode. The bytes are those of Python's codecs.
import { describe, expect, it } from "vitest";
import { htmlReader } from "../../../../src/knowledge/readers/html-reader.ts";
import { decodeText } from "../../../../src/knowledge/readers/decode-text.ts";
import { csvReader } from "../../../../src/knowledge/readers/csv-reader.ts";

const limits = { maxCharacters: 10_000 };
const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));

const TEXTS = [
  ["windows-1252", "Artikel;Preis\nKüche;5\n", "QXJ0aWtlbDtQcmVpcwpL/GNoZTs1Cg=="],
  [
    "windows-1252",
    "Name;Größe\nMüller;3\nStraße;4 €\n",
    "TmFtZTtHcvbfZQpN/GxsZXI7MwpTdHJh32U7NCCACg==",
  ],
  [
    "windows-1252",
    "nom;prénom;ville\nLefèvre;Élodie;Orléans\nGarçon;Zoë;Besançon\n",
    "bm9tO3By6W5vbTt2aWxsZQpMZWbodnJlO8lsb2RpZTtPcmzpYW5zCkdhcudvbjtab+s7QmVzYW7nb24K",
  ],
  [
    "windows-1252",
    "nombre;año\nPeña;2020\nNúñez;2021\n",
    "bm9tYnJlO2HxbwpQZfFhOzIwMjAKTvrxZXo7MjAyMQo=",
  ],
  ["windows-1252", "price\n£5\n£6 – “sale”\n", "cHJpY2UKozUKozYgliCTc2FsZZQK"],
  ["windows-1252", "København;Ærø;Å\nblåbær;1\n", "S/hiZW5oYXZuO8Zy+DvFCmJs5WLmcjsxCg=="],
  ["windows-1252", "coração;não\nSão Paulo;1\n", "Y29yYefjbztu428KU+NvIFBhdWxvOzEK"],
  [
    "windows-1251",
    "Имя;Город\nИван;Москва\nАнна;Санкт-Петербург\n",
    "yOz/O8Pu8O7kCsji4O07zO7x6uLgCsDt7eA70eDt6vItz+Xy5fDh8/DjCg==",
  ],
  ["windows-1251", "товар,цена\nчайник,250\n", "8u7i4PAs9uXt4Ar34Ont6OosMjUwCg=="],
  ["windows-1251", "Київ;їжак\n", "yui/4ju/5uDqCg=="],
  [
    "koi8-r",
    "Имя;Город\nИван;Москва\nАнна;Санкт-Петербург\n",
    "6c3RO+fP0s/ECunXwc477c/Ty9fBCuHOzsE788HOy9Qt8MXUxdLC1dLHCg==",
  ],
  [
    "windows-1250",
    "imię;miasto\nŁukasz;Kraków\nŻaneta;Gdańsk\nświeży;źródło\n",
    "aW1p6jttaWFzdG8Ko3VrYXN6O0tyYWvzdwqvYW5ldGE7R2Rh8XNrCpx3aWW/eTufcvNks28K",
  ],
  [
    "windows-1250",
    "jméno;město\nTomáš;Plzeň\nříjen;červen;žluťoučký kůň\n",
    "am3pbm87bexzdG8KVG9t4Zo7UGx6ZfIK+O1qZW476GVydmVuO55sdZ1vdehr/SBr+fIK",
  ],
  ["windows-1255", "מחיר המוצר הוא 250 שקלים\n", "7ufp+CDk7uX2+CDk5eAgMjUwIPn37OntCg=="],
  ["windows-1255", "שלום עולם, ניתן להחזיר מוצרים\n", "+ezl7SDy5eztLCDw6frvIOzk5+bp+CDu5fb46e0K"],
  [
    "windows-1256",
    "السعر هو 250 دينارا حتى نهاية السنة\n",
    "x+HT2tEg5eYgMjUwIM/t5MfRxyDNyuwg5OXH7ckgx+HT5MkK",
  ],
  ["windows-1256", "اسم;مدينة\nأحمد;القاهرة\n", "x9PjO+PP7eTJCsPN4887x+Hex+XRyQo="],
  ["shift_jis", "商品,価格\nやかん,250円\n", "j6SVaSyJv4ppCoLigqmC8SwyNTCJfgo="],
  ["shift_jis", "名前,都市\n田中,東京\n佐藤,大阪\n", "lryRTyyTc45zCpNjkoYsk4yLngqNspOhLJHljeMK"],
  ["shift_jis", "製品の価格は二百五十円です。\n", "kLuVaYLMib+KaYLNk/GVU4zcj1yJfoLFgreBQgo="],
  ["euc-jp", "商品,価格\nやかん,250円\n", "vqbJyiyywbPKCqTkpKuk8ywyNTCx3wo="],
  [
    "euc-jp",
    "製品の価格は二百五十円です。返品は三十日以内に限ります。\n",
    "wL3JyqTOssGzyqTPxvPJtLjevb2x36THpLmho8rWycqkz7uwvb3G/LDKxuKky7jCpOqk3qS5oaMK",
  ],
  ["gb18030", "商品,价格\n水壶,250\n", "yczGtyy827jxCsuuuvgsMjUwCg=="],
  ["gb18030", "姓名,城市\n张伟,北京\n王芳,上海\n", "0NXD+yyzx8rQCtXFzrAssbG+qQrN9be8LMnPuqMK"],
  [
    "gb18030",
    "产品价格为二百五十元。退货须在三十天内进行。\n",
    "svrGt7zbuPHOqrb+sNnO5cqu1Kqho83Lu/XQ69TayP3KrszsxNq9+NDQoaMK",
  ],
  [
    "euc-kr",
    "이름,도시\n김철수,서울\n이영희,부산\n",
    "wMy4pyy1tb3DCrHow7a89iy8rb/vCsDMv7XI8Sy6zrvqCg==",
  ],
  ["euc-kr", "상품,가격\n주전자,250원\n", "u/PHsCywobDdCsHWwPzA2iwyNTC/+Ao="],
  ["euc-kr", "상품의 가격은 이백오십 원입니다.\n", "u/PHsMDHILChsN3AuiDAzLnpv8C9yiC/+MDUtM+02S4K"],
  [
    "big5",
    "產品價格為二百五十元。退貨須在三十天內進行。\n",
    "sqOrfrv5ruassKRHpsqkraRRpLihQ7Bos2a2t6ZipFSkUaTRpLq2aabmoUMK",
  ],
  [
    "big5",
    "姓名,城市\n陳大文,台北\n林美麗,高雄\n",
    "qW2mVyyrsKWrCrOvpGqk5SyleKVfCqpMrPzEUiywqravCg==",
  ],
] as const;

describe("ENC1: the encoding of a text", () => {
  it.each(TEXTS)("is found by its bytes: %s, %s", async (encoding, text, base64) => {
    expect(decodeText(bytes(base64))).toBe(text);
    const { losses } = await csvReader.read(bytes(base64), limits);
    expect(losses).toEqual([
      { kind: "encoding", count: 1, detail: `1 text in a guessed encoding: ${encoding}` },
    ]);
  });

  it.each(TEXTS)("can be named: %s, %s", (encoding, text, base64) => {
    expect(decodeText(bytes(base64), { encoding })).toBe(text);
  });

  it("is not guessed for UTF-8, nor with a byte order mark", async () => {
    for (const each of [Buffer.from("Küche,東京"), Buffer.from("\ufeffKüche,東京", "utf16le")])
      expect(await csvReader.read(new Uint8Array(each), limits)).toEqual({
        text: "Küche | 東京\n",
        marks: [{ offset: 0, row: 1 }],
      });
  });

  it("is UTF-16 by the zeros of plain letters", () => {
    expect(decodeText(new Uint8Array(Buffer.from("name,price\n", "utf16le")))).toBe("name,price\n");
  });

  it("is the named one, or the text is refused", () => {
    expect(() => decodeText(bytes("/w=="), { encoding: "shift_jis" })).toThrow(
      /must be text in shift_jis, got other bytes/,
    );
  });
});

describe("pages without a declared encoding", () => {
  const page = (inside: string): Uint8Array =>
    new Uint8Array(Buffer.concat([Buffer.from("<p>"), bytes(inside), Buffer.from("</p>")]));

  it("DE1: are in the encoding that their bytes suggest, which is reported", async () => {
    const { text, losses } = await htmlReader.read(
      page("7ufp+CDk7uX2+CDk5eAgMjUwIPn37Ont"),
      limits,
    );
    expect(text).toBe("מחיר המוצר הוא 250 שקלים");
    expect(losses).toMatchObject([{ kind: "encoding", detail: expect.stringContaining("1255") }]);
  });

  it("are in UTF-8 despite single invalid bytes, which are reported", async () => {
    const { text, losses } = await htmlReader.read(
      new Uint8Array([...Buffer.from("<p>Küche für Gäste "), 0xff]),
      limits,
    );
    expect(text).toBe("Küche für Gäste \ufffd");
    expect(losses).toMatchObject([{ kind: "undecodable", count: 1 }]);
  });
});
