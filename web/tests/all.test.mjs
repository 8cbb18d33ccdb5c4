// All tests in one process, which share a browser.
import './place.mjs';
import './open.mjs';
import './shell.mjs';
import './large.mjs';
import './hostile.mjs';
import './views.mjs';
import './model.mjs';
import './model-trial.mjs';
import './access.mjs';
import './equal.mjs';
import './bytes.mjs';
import './content.mjs';
import './frame-trial.mjs';
