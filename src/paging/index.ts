export { fitting } from "./fitting.ts";
export { PageSize } from "./page-size.ts";
export { isTooLarge, TooLargeError } from "./too-large.ts";
