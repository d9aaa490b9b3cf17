import { createClient } from "edgecrew/client";

/** The page has no key: src/page-request.ts adds it. */
export const client = createClient({ url: `${location.origin}/app` });
