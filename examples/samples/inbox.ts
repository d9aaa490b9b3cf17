/** A day's mails of a shop for lamps and desks. */
export const INBOX = [
  {
    from: "Marta Lindqvist",
    subject: "Cracked shade",
    receivedAt: "2026-11-19T08:12:00Z",
    text: "Hello,\n\nmy oak desk lamp (order number HL-20417) came with a cracked glass shade. Could you send me a new shade before the 30 November?\n\nBest regards\nMarta Lindqvist",
  },
  {
    from: "Jonas Okafor",
    subject: "Invoice for our accounts",
    receivedAt: "2026-11-19T09:40:00Z",
    text: "Good morning,\n\nwe need the invoice for order HL-20388 (412.00 EUR) with our VAT number DE811907980 on it. Please send it as a PDF.\n\nKind regards\nJonas Okafor",
  },
  {
    from: "Priya Raman",
    subject: "Shop is down for me",
    receivedAt: "2026-11-19T11:03:00Z",
    text: "Hi,\n\nsince this morning I cannot pay: the page stays white after I choose a card. Is the shop broken?\n\nThanks\nPriya Raman",
  },
  {
    from: "Emil Sørensen",
    subject: "Which bulb fits",
    receivedAt: "2026-11-19T15:27:00Z",
    text: "Hello,\n\nwhich bulb fits the reading lamp Nord, and do you sell it? I would like a warm one.\n\nCheers\nEmil",
  },
] as const;
