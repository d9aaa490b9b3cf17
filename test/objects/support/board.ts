import { boardPart } from "../../support/board-part.ts";

/** The part of the Worker under test that nothing in src knows. */
export const board = boardPart();
