import { D1UploadCache } from "../../../src/cloudflare/stores/d1-upload-cache.ts";
import { InMemoryUploadCache } from "../../../src/files/in-memory-upload-cache.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";
import { describeUploadCache } from "../../support/upload-cache.suite.ts";

describeUploadCache({
  name: "in this process",
  open: async (clock) => ({
    ours: new InMemoryUploadCache(clock),
    theirs: new InMemoryUploadCache(clock),
  }),
});

describeUploadCache({
  name: "in SQL",
  open: async (clock) => {
    const db = sqliteD1();
    return { ours: new D1UploadCache(db, "a", clock), theirs: new D1UploadCache(db, "b", clock) };
  },
});
