import { definitions } from "../.edgecrew/definitions.ts";

/** What the folders crews/, flows/ and skills/ define. */
export const { crews, flows } = definitions();
