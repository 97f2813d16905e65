"""Does a shop's work with the client that openapi-generator makes for Python; prints what it saw as JSON."""
import json
import sys

import shop_client
from shop_client.models import (
    Audience, BroadcastsConfirmBody, BroadcastsCreateBody, ContactsImportBody, ContactsUpdateBody, MessagesCreateBody,
    TemplateVariables, TicketsCreateBody,
)

url, token, template, number, member = sys.argv[1:6]
client = shop_client.ApiClient(shop_client.Configuration(host=url, access_token=token))
contacts = shop_client.ContactsApi(client)
messages = shop_client.MessagesApi(client)
broadcasts = shop_client.BroadcastsApi(client)
tickets = shop_client.TicketsApi(client)

rows = [{"phone": "+4932000000021", "name": "Anna", "tags": ["gen", "x"]}, {"phone": "+4932000000022", "name": "Ben"}]
imported = contacts.contacts_import(contacts_import_body=ContactsImportBody.from_dict({"contacts": rows}))
contacts.contacts_update("4932000000022", ContactsUpdateBody(conv_status="resolved", assigned_member=int(member)))
left = contacts.contacts_update("4932000000022", ContactsUpdateBody(assigned_member=None))
found = contacts.contacts_list(search="49320000000", conv_status=["open", "resolved"])

variables = TemplateVariables.from_dict(
    {"body": {"1": {"source": "field", "field": "name"}, "2": {"source": "static", "value": "today"}}})
message = MessagesCreateBody(
    to="+4932000000021", phone_number_id=number, template_id=template, template_variables=variables)
sent = messages.messages_create(message, idempotency_key="gen-order-1")
again = messages.messages_create(message, idempotency_key="gen-order-1")
listed = messages.messages_list("4932000000021")

draft = broadcasts.broadcasts_create(BroadcastsCreateBody(
    name="News", template_id=template, phone_number_id=number, audience=Audience(tags_any=["gen"]),
    template_variables=variables))
preview = broadcasts.broadcasts_preview(draft.id)
confirmed = broadcasts.broadcasts_confirm(draft.id, broadcasts_confirm_body=BroadcastsConfirmBody())

for kind in ("bug", "other", "refund"):
    tickets.tickets_create(TicketsCreateBody(title=f"Broken {kind}", type=kind, receiver_id="4932000000021"))
mine = tickets.tickets_list(type=["bug", "other"], receiver_id="4932000000021")

print(json.dumps({
    "imported": [imported.created, len(imported.errors)],
    "unassigned": left.assigned_member,
    "found": sorted(contact.name for contact in found.results),
    "same": again.id == sent.id,
    "listed": [one.id == sent.id for one in listed.results],
    "broadcast": [preview.audience, preview.sendable, confirmed.id == draft.id],
    "tickets": sorted(ticket.title for ticket in mine),
}))
