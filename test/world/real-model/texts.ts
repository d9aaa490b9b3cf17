// Short texts that programs are made of.
export type Passage = { readonly title: string; readonly text: string; readonly question: string };

export const PASSAGES: readonly Passage[] = [
  {
    title: "lighthouse",
    text: "The lighthouse at Harrow Point was lit in 1851. Its keeper wound the clockwork every four hours. A storm broke the lamp in 1870, and it was mended in nine days.",
    question: "When was the lighthouse lit?",
  },
  {
    title: "tea",
    text: "Green tea is steeped for three minutes in water of seventy degrees. Black tea takes five minutes in boiling water. Old leaves lose their scent within a year.",
    question: "How long is black tea steeped?",
  },
  {
    title: "ferry",
    text: "The ferry crosses the bay at seven, at noon and at six. In winter the noon crossing is left out. A bicycle costs two coins, a horse costs five.",
    question: "What does a horse cost on the ferry?",
  },
  {
    title: "orchard",
    text: "The orchard has forty apple trees and twelve pear trees. The apples are picked in October. The pears go to the market in Weston, the apples to the press.",
    question: "Where do the pears go?",
  },
  {
    title: "library",
    text: "The village library lends three books to each reader for two weeks. A book that comes back late costs a penny a day. It is closed on Mondays.",
    question: "How many books does a reader get?",
  },
  {
    title: "clock",
    text: "The clock in the tower strikes only the hours. It was made by two brothers from Leyden. Every spring its wheels are cleaned with oil and sand.",
    question: "Who made the clock?",
  },
  {
    title: "fox",
    text: "A fox saw grapes that hung high on a vine. He leapt many times and could not reach them. He went away and said that they were sour.",
    question: "What did the fox say of the grapes?",
  },
  {
    title: "bakery",
    text: "The bakery opens at five in the morning. It sells rye bread on all days and white bread on Saturdays. What is left in the evening goes to the poor house.",
    question: "When is white bread sold?",
  },
];

export const TRADES: readonly string[] = ["Clerk", "Reporter", "Teacher", "Baker", "Captain"];

export const WISHES: readonly string[] = [
  "Say it in one short sentence.",
  "Use at most ten words.",
  "Write for a child.",
  "Name one fact.",
];
