// Where the pages that `make site` writes are published. Python reads it here, too.

export const SITE = "https://attention-by-hand.github.io/attention-by-hand";
