/** The consent page (RFC 9700 section 4.16): who asks, for what, where the answer goes. Its form needs no script. */
export const consentTemplate = `
<h1>Connect <%= it.clientName %>?</h1>
<p class="soft">It asks to act for you in <strong><%= it.workspaceName %></strong>.</p>
<dl class="facts">
<dt>Signed in as</dt>
<dd><%= it.memberName %> (<%= it.memberEmail %>) <a class="whole" href="<%= it.signIn %>">Not you?</a></dd>
<% if (it.clientHost) { %><dt>It describes itself at</dt><dd><strong><%= it.clientHost %></strong></dd><% } %>
<dt>You will be sent back to</dt><dd><strong><%= it.target %></strong></dd>
</dl>
<% if (it.loopback) { %>
<div class="note note-warn"><p><strong>This program runs on your own device.</strong>
Continue only if you have just started it to connect it.</p></div>
<% } %>
<% if (!it.canGrant) { %>
<div class="note note-bad" role="alert"><p>You have none of the permissions that it asks for, so you cannot connect it.
Ask an administrator of your workspace.</p></div>
<% } %>
<form method="post" action="<%= it.action %>">
<input type="hidden" name="request" value="<%= it.id %>">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<fieldset>
<legend>What it may do</legend>
<ul class="choices">
<% it.scopes.forEach((scope) => { %><li><label class="choice<%= scope.held ? '' : ' choice-off' %>">
<input type="checkbox" name="scope" value="<%= scope.name %>"<%= scope.held ? ' checked' : ' disabled' %>>
<span class="choice-name"><%= it.descriptions[scope.name] %></span>
<span class="choice-detail"><code><%= scope.name %></code><%=
scope.held ? '' : ' · you do not have this permission yourself' %></span>
</label></li>
<% }) %></ul>
</fieldset>
<div class="note"><p><% if (it.sends) { %>Every message it writes must be approved by your team, unless an administrator
allows it to send on its own. <% } %>It can never do more than you may do yourself. You can disconnect it at any time in
the dashboard under Settings → Agents.</p></div>
<div class="actions">
<button class="button" type="submit" name="decision" value="deny">Cancel</button>
<% if (it.canGrant) { %>
<button class="button button-main" type="submit" name="decision" value="allow">Allow</button>
<% } %>
</div>
</form>
`;

/** What is told when nothing may be sent back to the application. */
export const problemTemplate = `
<h1>The connection was not made</h1>
<div class="note note-bad" role="alert"><p><%= it.message %></p></div>
<% if (it.signIn) { %>
<div class="actions"><a class="button button-main" href="<%= it.signIn %>">Use another account</a></div>
<% } else { %>
<p class="soft small">You can close this window and go back to the application.</p>
<% } %>
`;
