/** One family for all our nodes, so that they are found together at a glance. */
export const CATEGORY = "CRE Connect";
export const COLOR = "#6c8fd8";
