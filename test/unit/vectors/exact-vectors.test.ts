import { InMemoryVectorStores } from "../../../src/vectors/exact-vectors.ts";
import { describeVectorStore } from "../../support/vector-store.suite.ts";

describeVectorStore({ name: "in memory", stores: () => new InMemoryVectorStores() });
