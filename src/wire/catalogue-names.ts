/** Keys of the tools in CrewAI's catalogue, so a Worker without our catalogue can report where to find them. */
export const CATALOGUE_NAMES: ReadonlySet<string> = new Set(
  (
    "addimage aimind apifyactors arxivpaper bedrockinvokeagent bedrockkbretriever braveimagesearch bravellmcontext " +
    "bravelocalpois bravelocalpoisdescription bravenewssearch bravesearch bravevideosearch bravewebsearch " +
    "brightdatadataset brightdatasearch brightdatawebunlocker browserbaseload codedocssearch codeinterpreter " +
    "composio contextualaicreateagent contextualaiparse contextualaiquery contextualairerank " +
    "couchbaseftsvectorsearch crewaiplatformtools csvsearch dalle databricksquery daytonaexec daytonafile " +
    "daytonapython db2vectorsearch directoryread directorysearch docxsearch e2bexec e2bfile e2bpython " +
    "enterpriseaction exasearch filecompressor fileread filewriter firecrawlcrawlwebsite firecrawlscrapewebsite " +
    "firecrawlsearch generatecrewaiautomation githubsearch hyperbrowserload invokecrewaiautomation " +
    "jinascrapewebsite jsonsearch linkupsearch llamaindex mcpserveradapter mdxsearch mergeagenthandler " +
    "mongodbvectorsearch multion mysqlsearch nl2sql ocr oxylabsamazonproductscraper oxylabsamazonsearchscraper " +
    "oxylabsgooglesearchscraper oxylabsuniversalscraper parallelsearch patronuseval patronuslocalevaluator " +
    "patronuspredefinedcriteriaeval pdfsearch pgsearch qdrantvectorsearch rag s3reader s3writer " +
    "scrapeelementfromwebsite scrapegraphscrape scrapewebsite scrapflyscrapewebsite seleniumscraping " +
    "serpapigooglesearch serpapigoogleshopping serperdev serperscrapewebsite serplyjobsearch serplynewssearch " +
    "serplyscholarsearch serplywebpagetomarkdown serplywebsearch singlestoresearch snowflakesearch spider stagehand " +
    "tavilyextractor tavilygetresearch tavilyresearch tavilysearch txtsearch urlread vision wait " +
    "weaviatevectorsearch websitesearch xmlsearch youtubechannelsearch youtubevideosearch zapieraction " +
    "zapieractiontools"
  ).split(" "),
);
