export { serpApiGoogleSearch } from "./serpapi-google-search.ts";
export { serpApiGoogleShopping } from "./serpapi-google-shopping.ts";
