export { databricksQuery } from "./databricks-query.ts";
