import { EdgecrewClient } from "edgecrew/client";

/** The page has no key: src/page-request.ts adds it. */
export const client = new EdgecrewClient({ baseUrl: `${location.origin}/app` });
