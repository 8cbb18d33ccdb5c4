// What is said of files, in one process, which shares a browser. The other half of the tests is in pages.test.mjs.
import './hostile.mjs';
import './large.mjs';
import './equal.mjs';
import './content.mjs';
import './bytes.mjs';
