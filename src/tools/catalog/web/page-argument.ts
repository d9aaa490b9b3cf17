import * as z from "zod";
import type { ToolIo } from "../base/tool-io.ts";
import { pageAddress } from "./page-address.ts";

/** Argument for the address of a page to read. */
export function pageArgument(): z.ZodString {
  return z.string().min(1).max(2048).describe("Address of the page");
}

/** Returns the address for the service. Throws the failures `bad_request` and `refused`. */
export function publicAddress(text: string, io: ToolIo): string {
  const address = pageAddress(text);
  io.checkAddress(address);
  return address;
}
