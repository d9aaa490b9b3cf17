/** Requirements of the catalogue's tools, with the keys of the tools: variables of the Worker, and `knowledge`. */
const NEEDS: Readonly<Record<string, string>> = {
  AGENT_HANDLER_API_KEY: "mergeagenthandler",
  APIFY_API_TOKEN: "apifyactors",
  AWS_ACCESS_KEY_ID: "bedrockinvokeagent bedrockkbretriever",
  AWS_SECRET_ACCESS_KEY: "bedrockinvokeagent bedrockkbretriever",
  BEDROCK_AGENT_ALIAS_ID: "bedrockinvokeagent",
  BEDROCK_AGENT_ID: "bedrockinvokeagent",
  BEDROCK_KB_ID: "bedrockkbretriever",
  BRAVE_API_KEY:
    "braveimagesearch bravellmcontext bravelocalpois bravelocalpoisdescription bravenewssearch bravesearch bravevideosearch bravewebsearch",
  BRIGHT_DATA_API_KEY: "brightdatadataset brightdatasearch brightdatawebunlocker",
  BRIGHT_DATA_ZONE: "brightdatasearch brightdatawebunlocker",
  BROWSERBASE_API_KEY: "browserbaseload",
  COMPOSIO_API_KEY: "composio",
  CONTEXTUAL_API_KEY:
    "contextualaicreateagent contextualaiparse contextualaiquery contextualairerank",
  CREWAI_PERSONAL_ACCESS_TOKEN: "generatecrewaiautomation",
  CREWAI_PLATFORM_INTEGRATION_TOKEN: "crewaiplatformtools enterpriseaction",
  CREW_AWS_ACCESS_KEY_ID: "s3reader s3writer",
  CREW_AWS_SEC_ACCESS_KEY: "s3reader s3writer",
  CREW_BEARER_TOKEN: "invokecrewaiautomation",
  DATABRICKS_HOST: "databricksquery",
  DATABRICKS_TOKEN: "databricksquery",
  DAYTONA_API_KEY: "daytonaexec daytonafile daytonapython",
  E2B_API_KEY: "e2bexec e2bfile e2bpython",
  EXA_API_KEY: "exasearch",
  FIRECRAWL_API_KEY: "firecrawlcrawlwebsite firecrawlscrapewebsite firecrawlsearch",
  HYPERBROWSER_API_KEY: "hyperbrowserload",
  LINKUP_API_KEY: "linkupsearch",
  OPENAI_API_KEY: "dalle",
  OXYLABS_PASSWORD:
    "oxylabsamazonproductscraper oxylabsamazonsearchscraper oxylabsgooglesearchscraper oxylabsuniversalscraper",
  OXYLABS_USERNAME:
    "oxylabsamazonproductscraper oxylabsamazonsearchscraper oxylabsgooglesearchscraper oxylabsuniversalscraper",
  PARALLEL_API_KEY: "parallelsearch",
  PATRONUS_API_KEY: "patronuseval patronuspredefinedcriteriaeval",
  SCRAPEGRAPH_API_KEY: "scrapegraphscrape",
  SCRAPFLY_API_KEY: "scrapflyscrapewebsite",
  SERPAPI_API_KEY: "serpapigooglesearch serpapigoogleshopping",
  SERPER_API_KEY: "serperdev serperscrapewebsite",
  SERPLY_API_KEY:
    "serplyjobsearch serplynewssearch serplyscholarsearch serplywebpagetomarkdown serplywebsearch",
  SPIDER_API_KEY: "spider",
  TAVILY_API_KEY: "tavilygetresearch tavilyresearch",
  WEAVIATE_API_KEY: "weaviatevectorsearch",
  ZAPIER_API_KEY: "zapieraction zapieractiontools",
  knowledge:
    "codedocssearch csvsearch directorysearch docxsearch githubsearch jsonsearch mdxsearch pdfsearch rag txtsearch websitesearch xmlsearch youtubechannelsearch youtubevideosearch",
};

/** Keys of the tools that index and search documents, for which a Worker needs `knowledge()`. */
export const KNOWLEDGE_TOOL_NAMES: ReadonlySet<string> = new Set(NEEDS["knowledge"]?.split(" "));

/** Returns the variables without which a tool of the catalogue refuses to run, by the tool's key. */
export function toolVariables(key: string): readonly string[] {
  return Object.entries(NEEDS).flatMap(([name, keys]) =>
    name !== "knowledge" && keys.split(" ").includes(key) ? [name] : [],
  );
}
