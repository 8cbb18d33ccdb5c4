// All tests in one process, which share a browser.
import './open.mjs';
import './large.mjs';
import './hostile.mjs';
import './views.mjs';
import './access.mjs';
import './equal.mjs';
